/**
 * What a sandbox costs before it has done anything: time from `createSandbox` to the first observation, and the memory
 * of a worker that waits. Every sandbox here is a new one, with default options.
 */

import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { listChildren, readResidentMb, waitForWorkers } from "./processes.ts";
import { absentRow, type Row, row, showMs } from "./row.ts";
import { median } from "./statistics.ts";
import { runProgram, type Subject, scale, takeRounds } from "./subject.ts";

/** Of default options. */
const STANDBY = 1;

export async function measureStart(subject: Subject): Promise<Row[]> {
  const firstResultMs: number[] = [];
  const residentMb: number[] = [];
  for (const _ of takeRounds(scale(subject, 3, 1), 6000)) {
    const before = new Set(listChildren());
    const started = performance.now();
    await using sandbox = await createSandbox({ containment: "process" });
    await runProgram(sandbox);
    firstResultMs.push(performance.now() - started);
    const workers = await waitForWorkers(before, subject.workers + STANDBY);
    residentMb.push(...workers.map(readResidentMb));
  }
  const startMs = median(firstResultMs);
  const workerMb = median(residentMb);
  return [
    row("createSandbox to the first result", showMs(startMs), { p50Ms: startMs }),
    residentMb.length === 0
      ? absentRow("memory of a worker that waits")
      : row("memory of a worker that waits", `${workerMb.toFixed(0)} MiB resident`, { residentMb: workerMb }),
  ];
}
