/**
 * The attacks in Python, judged like every attack: one true observation in time, nothing of the host, the next run right.
 * Every launcher meets what reaches outward. What goes on without end or takes too much costs a worker each time: it meets
 * plain processes, and every launcher with PYTHON_ATTACKS=all; the conformance suite has such programs for each in any case.
 */

import { describe } from "vitest";
import { HOSTILE_PYTHON } from "../fixtures/hostile-python.ts";
import { describeLauncher, LAUNCHER_NAMES } from "../fixtures/launchers.ts";
import { describeProgram, useAttackedSandbox } from "./attack.ts";

const OUTWARD: readonly string[] = ["authority", "bridge"];
const isAll = process.env.PYTHON_ATTACKS === "all";

for (const containment of LAUNCHER_NAMES) {
  describeLauncher(containment, () => {
    const inUse = useAttackedSandbox({ containment, workers: 1, standby: 0, python: { prepared: 1 } });
    const classes = Object.entries(HOSTILE_PYTHON).filter(
      ([name]) => isAll || containment === "process" || OUTWARD.includes(name),
    );
    describe.each(classes)("%s: a program that", (_, programs) => {
      describeProgram(programs, inUse, "python");
    });
  });
}
