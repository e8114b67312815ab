/**
 * What containment costs: the start of a worker, one run, and memory at rest, under every launcher that can run here.
 * Prints one line a launcher; wanted values are not its business.
 */

import { readFileSync } from "node:fs";
import { LAUNCHERS } from "../../src/sandbox/launchers/registry.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { createSupervisor } from "../../src/sandbox/supervisor.ts";
import { findWorkerNeeds } from "../../src/sandbox/worker-needs.ts";
import { WorkerProcess } from "../../src/sandbox/worker-process.ts";

const STARTS = 15;
const RUNS = 500;

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const fixed = (value: number): string => value.toFixed(value < 10 ? 2 : 0);

function residentMb(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * 4096) / 1024 ** 2;
}

const needs = findWorkerNeeds(null);
const supervisor = createSupervisor(8);
await supervisor.whenReady;
for (const launcher of LAUNCHERS) {
  const opening = performance.now();
  const opened = await launcher.open(needs);
  const openMs = performance.now() - opening;
  if (!("command" in opened)) {
    console.log(`${launcher.name.padEnd(12)} ${opened.reason}. ${opened.remedy}`);
    continue;
  }
  const starts: number[] = [];
  const resident: number[] = [];
  for (let n = 0; n < STARTS; n++) {
    const from = performance.now();
    const command = opened.command({ ...needs, role: "runner", language: "javascript", env: {} });
    const worker = await WorkerProcess.start(command, supervisor, 60_000);
    starts.push(performance.now() - from);
    resident.push(residentMb(worker.pid));
    worker.kill("discarded");
    await worker.whenEnded;
  }
  await opened.close();
  const sandbox = await createSandbox({ containment: launcher.name, workers: 1, standby: 0 });
  const runs: number[] = [];
  for (let n = 0; n < RUNS; n++) {
    const from = performance.now();
    await sandbox.run({ language: "javascript", source: "6 * 7" });
    runs.push(performance.now() - from);
  }
  await sandbox.close();
  const told = [`probe ${fixed(openMs)} ms`, `start ${fixed(median(starts))} ms`, `run ${fixed(median(runs))} ms`];
  console.log(`${launcher.name.padEnd(12)} ${told.join("   ")}   at rest ${fixed(median(resident))} MiB`);
}
await supervisor.close();
