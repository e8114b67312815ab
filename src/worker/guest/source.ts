/**
 * The text of the guest's wing: each part is one self-contained function, joined here into the script every isolate starts with.
 * Runs in the worker; what it makes runs in the isolate, strict, so that no program sees our functions in a stack.
 */

import { createClock } from "./clock.ts";
import { createConsole } from "./console.ts";
import { compileEagerly } from "./eager.ts";
import { createEncoder } from "./encode.ts";
import { createGlobals, LANGUAGE_GLOBALS } from "./globals.ts";
import { createInspect } from "./inspect.ts";
import { capturePrimordials } from "./primordials.ts";
import { createProgram } from "./program.ts";
import { createWeb } from "./web.ts";

/** Evaluates to a function of the one callback; that returns the function that runs programs. */
export function guestScript(): string {
  return compileEagerly(joinParts());
}

export function joinParts(): string {
  return `(function (host) {
"use strict";
const p = (${capturePrimordials})();
const globals = (${createGlobals})(p, { __proto__: null, ${LANGUAGE_GLOBALS.map((name) => `${name}: true`).join(", ")} });
const clock = (${createClock})(p, globals);
const inspect = (${createInspect})(p);
const output = (${createConsole})(p, globals, inspect, (line) => void host(line), () => void host(null));
(${createWeb})(p, globals, () => host());
return (${createProgram})(p, globals, clock, output, (${createEncoder})(p));
})`;
}
