/**
 * The conformance suite for JavaScript under every launcher that contains its workers.
 */

import { describeLauncher, LAUNCHER_NAMES } from "../fixtures/launchers.ts";
import { describeEngine } from "./engine.ts";
import { JAVASCRIPT } from "./javascript-programs.ts";

for (const containment of LAUNCHER_NAMES.filter((name) => name !== "process")) {
  describeLauncher(containment, () => {
    describeEngine({ language: "javascript", containment, programs: JAVASCRIPT });
  });
}
