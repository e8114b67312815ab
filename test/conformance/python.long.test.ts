/**
 * The conformance suite for Python, under every launcher there is.
 */

import { describeLauncher, LAUNCHER_NAMES } from "../fixtures/launchers.ts";
import { describeEngine } from "./engine.ts";
import { PYTHON_PROGRAMS } from "./python-programs.ts";

for (const containment of LAUNCHER_NAMES) {
  describeLauncher(containment, () => {
    describeEngine({
      language: "python",
      containment,
      programs: PYTHON_PROGRAMS,
      memoryEnd: { status: "error", error: "MemoryError" },
    });
  });
}
