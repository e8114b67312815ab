/**
 * The conformance suite for Python, under every launcher there is.
 */

import type { SandboxOptions } from "../../src/options.ts";
import { LAUNCHERS } from "../../src/sandbox/launchers/registry.ts";
import { describeEngine } from "./engine.ts";
import { PYTHON_PROGRAMS } from "./python-programs.ts";

for (const { name } of LAUNCHERS) {
  describeEngine({
    language: "python",
    containment: name as NonNullable<SandboxOptions["containment"]>,
    programs: PYTHON_PROGRAMS,
    memoryEnd: { status: "error", error: "MemoryError" },
  });
}
