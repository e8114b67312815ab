/**
 * Whether a program that computes pays for the isolate: the same text in the sandbox and in a fresh plain Node of the
 * worker's version, both cold, in turns. By CPU time of the running thread: what else the machine does is not in it.
 */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Sandbox } from "../../src/types.ts";
import { listChildren, readMainThreadCpuMs, waitForWorkers } from "./processes.ts";
import { atMost, type Row, row, showMs } from "./row.ts";
import { median, pause } from "./statistics.ts";
import { type Subject, scale, takeRounds } from "./subject.ts";

const WANTED_RATIO = 1.1;
/** So that the worker has made its next isolate, and waits. */
const WORKER_REST_MS = 5;

const WORKS: Readonly<Record<string, string>> = {
  sieve: `function work() {
  let count = 0;
  for (let round = 0; round < 12; round++) {
    const composite = new Uint8Array(2_000_000);
    count = 0;
    for (let n = 2; n < composite.length; n++) {
      if (composite[n]) continue;
      count++;
      for (let m = n * n; m < composite.length; m += n) composite[m] = 1;
    }
  }
  return count;
}`,
  fib: `function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function work() { return fib(35); }`,
  matrix: `function work() {
  const size = 200;
  const make = (seed) => Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => (i * seed + j) % 7));
  const a = make(3), b = make(5);
  let sum = 0;
  for (let round = 0; round < 6; round++) {
    for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) {
      let cell = 0;
      for (let k = 0; k < size; k++) cell += a[i][k] * b[k][j];
      sum += cell;
    }
  }
  return sum;
}`,
};

interface Timed {
  cpuMs: number;
  wallMs: number;
  value: string;
}

async function runPlain(node: string, work: string): Promise<Timed> {
  const text = `${work}
const wall = performance.now();
const cpu = process.threadCpuUsage();
const value = work();
const { user, system } = process.threadCpuUsage(cpu);
console.log(JSON.stringify({ cpuMs: (user + system) / 1000, wallMs: performance.now() - wall, value: String(value) }));`;
  const { stdout } = await promisify(execFile)(node, ["-e", text], { env: {} });
  return JSON.parse(stdout) as Timed;
}

/** The worker's own account of CPU time counts its waiting as well, so the system is asked, where it answers. */
async function runSandboxed(sandbox: Sandbox, worker: number | undefined, work: string): Promise<Timed> {
  const before = worker === undefined ? 0 : readMainThreadCpuMs(worker);
  const limits = { timeoutMs: 20_000 };
  const { status, result, usage } = await sandbox.run({ language: "javascript", source: `${work}\nwork()`, limits });
  if (status !== "ok") throw new Error(`expected a result, got ${status}`);
  await pause(WORKER_REST_MS);
  const cpuMs = worker === undefined ? usage.wallMs : readMainThreadCpuMs(worker) - before;
  return { cpuMs, wallMs: usage.wallMs, value: String(result) };
}

export async function measureCpuWork(subject: Subject): Promise<Row[]> {
  const others = new Set(listChildren());
  await using sandbox = await createSandbox({ containment: "process", workers: 1, standby: 0 });
  const [worker] = await waitForWorkers(others, 1);
  const rows: Row[] = [];
  for (const [name, work] of Object.entries(WORKS)) {
    const inside: Timed[] = [];
    const plain: Timed[] = [];
    for (const _ of takeRounds(scale(subject, 9, 2), 4000)) {
      inside.push(await runSandboxed(sandbox, worker, work));
      plain.push(await runPlain(subject.workerNode, work));
    }
    if (inside[0]?.value !== plain[0]?.value) throw new Error(`${name}: the values differ`);
    const of = (timed: Timed[], key: "cpuMs" | "wallMs") => median(timed.map((one) => one[key]));
    const [insideMs, plainMs] = [of(inside, "cpuMs"), of(plain, "cpuMs")];
    const ratio = insideMs / plainMs;
    const wallRatio = of(inside, "wallMs") / of(plain, "wallMs");
    const seen = `${ratio.toFixed(2)}: ${showMs(insideMs)} beside ${showMs(plainMs)} (by the wall clock ${wallRatio.toFixed(2)})`;
    const wanted = atMost(ratio, WANTED_RATIO, `CPU time at most ${WANTED_RATIO} of plain Node`);
    rows.push(row(`CPU work: ${name}`, seen, { ratio, wallRatio, insideMs, plainMs }, wanted));
  }
  return rows;
}
