/**
 * The conformance suite for JavaScript in plain worker processes. Under the other launchers: javascript.long.test.ts.
 */

import { describeEngine } from "./engine.ts";
import { JAVASCRIPT } from "./javascript-programs.ts";

describeEngine({ language: "javascript", containment: "process", programs: JAVASCRIPT });
