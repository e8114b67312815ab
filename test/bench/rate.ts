/**
 * How much of the machine reaches the programs: runs a second through the sandbox, as many callers as workers, beside
 * the same engine in as many plain processes, in turns.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { RateReply, RateRequest } from "./rate-child.ts";
import { atLeast, atMost, type Row, row, showMs, showRate } from "./row.ts";
import { median, pause, percentile, timeMs } from "./statistics.ts";
import { runProgram, type Subject, scale, takeRounds } from "./subject.ts";

const WANTED_P50_MS = 1.5;
const WANTED_SHARE = 0.85;
/** So that a worker that was being replaced is up before the others are measured. */
const SETTLE_MS = 300;

async function startChild(path: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL("./rate-child.ts", import.meta.url)), {
    execPath: path,
    execArgv: ["--no-node-snapshot"],
    env: { TZ: "UTC", LC_ALL: "en_US.UTF-8" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit").then(() => Promise.reject(new Error("a process of the isolate-only rate ended")));
  await Promise.race([once(child, "message"), ended]);
  return child;
}

async function ask(child: ChildProcess, request: RateRequest): Promise<RateReply> {
  child.send(request);
  const [reply] = (await once(child, "message")) as [RateReply];
  return reply;
}

/** Every caller asks again as soon as it has its answer. Returns runs a second. */
async function saturate({ sandbox, workers }: Subject, ms: number, samples: number[]): Promise<number> {
  const started = performance.now();
  const before = samples.length;
  const callers = Array.from({ length: workers }, async () => {
    while (performance.now() < started + ms) samples.push(await timeMs(() => runProgram(sandbox)));
  });
  await Promise.all(callers);
  return ((samples.length - before) * 1000) / (performance.now() - started);
}

export async function measureRate(subject: Subject): Promise<Row[]> {
  const children = await Promise.all(Array.from({ length: subject.workers }, () => startChild(subject.workerNode)));
  const askAll = (kind: RateRequest["kind"], ms: number) =>
    Promise.all(children.map((child) => ask(child, { kind, ms })));
  const latencies: number[] = [];
  const rates: number[] = [];
  const engine: RateReply[][] = [];
  const bare: RateReply[][] = [];
  try {
    await Promise.all([askAll("engine", 300), saturate(subject, 300, [])]);
    for (const _ of takeRounds(scale(subject, 8, 2), 25_000)) {
      rates.push(await saturate(subject, scale(subject, 1200, 600), latencies));
      await pause(SETTLE_MS);
      engine.push(await askAll("engine", scale(subject, 700, 400)));
      bare.push(await askAll("bare", 300));
    }
  } finally {
    for (const child of children) child.kill("SIGKILL");
  }
  return describe(latencies, rates, engine, bare);
}

function describe(latencies: number[], rates: number[], engine: RateReply[][], bare: RateReply[][]): Row[] {
  const [p50Ms, p99Ms] = [median(latencies), percentile(latencies, 0.99)];
  const total = (replies: RateReply[]) => replies.reduce((sum, { perSecond }) => sum + perSecond, 0);
  const [perSecond, engineRate, bareRate] = [median(rates), median(engine.map(total)), median(bare.map(total))];
  const share = perSecond / engineRate;
  const runMs = median(engine.flat().map((reply) => reply.runMs));
  const renewMs = median(engine.flat().map((reply) => reply.renewMs));
  const latency = `p50 ${showMs(p50Ms)}, p99 ${showMs(p99Ms)}, ${showRate(perSecond)}`;
  const rate = `${(share * 100).toFixed(0)} in 100: ${showRate(perSecond)} of ${showRate(engineRate)}`;
  const isolate = `run ${showMs(runMs)}, then dispose and make the next ${showMs(renewMs)}`;
  return [
    row(
      "sandbox.run, saturated: as many callers as workers",
      latency,
      { p50Ms, p99Ms, perSecond, runs: latencies.length },
      atMost(p50Ms, WANTED_P50_MS, `p50 at most ${WANTED_P50_MS} ms`),
    ),
    row(
      "runs a second, of the isolate-only rate",
      rate,
      { share, perSecond, isolateOnlyPerSecond: engineRate },
      atLeast(share, WANTED_SHARE, `at least ${WANTED_SHARE * 100} in 100`),
    ),
    row("a fresh isolate in the engine", isolate, { runMs, renewMs }),
    row("for comparison: bare isolated-vm, no guest", showBare(bare, bareRate), { perSecond: bareRate }),
  ];
}

function showBare(replies: RateReply[][], perSecond: number): string {
  const eachMs = median(replies.flat().map(({ runMs }) => runMs));
  return `${showRate(perSecond)}, ${showMs(eachMs)} from new isolate to dispose`;
}
