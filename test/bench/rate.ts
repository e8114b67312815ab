/**
 * How much of the machine reaches the programs: runs a second through the sandbox, as many callers as workers, beside
 * the same engine in as many plain processes, in turns. The share is told by CPU time as well, which a busy machine
 * does not change.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { readFamilyCpuMs } from "./processes.ts";
import type { RateReply, RateRequest } from "./rate-child.ts";
import { atLeast, atMost, type Row, row, showMs, showRate } from "./row.ts";
import { median, pause, summarize, timeMs } from "./statistics.ts";
import { runProgram, type Subject, scale, takeRounds } from "./subject.ts";

const WANTED_P50_MS = 1.5;
const WANTED_SHARE = 0.85;
/** So that a worker that was being replaced is up before the others are measured. */
const SETTLE_MS = 300;

interface Round {
  perSecond: number;
  /** CPU time of one run, in every process that has a part in it. */
  cpuMs: number;
}

/** What the children said of themselves, and what they were seen to use. */
interface ChildRound extends Round {
  replies: RateReply[];
}

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

async function askAll(children: readonly ChildProcess[], request: RateRequest): Promise<ChildRound> {
  const before = readFamilyCpuMs();
  const replies = await Promise.all(children.map((child) => ask(child, request)));
  const sum = (key: "perSecond" | "runs") => replies.reduce((total, reply) => total + reply[key], 0);
  return { replies, perSecond: sum("perSecond"), cpuMs: (readFamilyCpuMs() - before) / sum("runs") };
}

/** Every caller asks again as soon as it has its answer, and waits until a worker that was replaced is up. */
async function saturate({ sandbox, workers }: Subject, ms: number, samples: number[]): Promise<Round> {
  const before = { cpuMs: readFamilyCpuMs(), runs: samples.length };
  const started = performance.now();
  const callers = Array.from({ length: workers }, async () => {
    while (performance.now() < started + ms) samples.push(await timeMs(() => runProgram(sandbox)));
  });
  await Promise.all(callers);
  const runs = samples.length - before.runs;
  const perSecond = (runs * 1000) / (performance.now() - started);
  await pause(SETTLE_MS);
  return { perSecond, cpuMs: (readFamilyCpuMs() - before.cpuMs) / runs };
}

export async function measureRate(subject: Subject): Promise<Row[]> {
  const children = await Promise.all(Array.from({ length: subject.workers }, () => startChild(subject.workerNode)));
  const latencies: number[] = [];
  const rounds: Round[] = [];
  const engine: ChildRound[] = [];
  const bare: ChildRound[] = [];
  try {
    await askAll(children, { kind: "engine", ms: 300 });
    await saturate(subject, 300, []);
    for (const _ of takeRounds(scale(subject, 8, 2), 20_000)) {
      rounds.push(await saturate(subject, scale(subject, 1200, 600), latencies));
      engine.push(await askAll(children, { kind: "engine", ms: scale(subject, 700, 400) }));
      bare.push(await askAll(children, { kind: "bare", ms: 300 }));
    }
  } finally {
    for (const child of children) child.kill("SIGKILL");
  }
  return describe(latencies, rounds, engine, bare);
}

function describe(latencies: number[], rounds: Round[], engine: ChildRound[], bare: ChildRound[]): Row[] {
  const figures = summarize(latencies);
  const { p50Ms, p99Ms } = figures;
  const of = (some: readonly Round[], key: keyof Round) => median(some.map((round) => round[key]));
  const told = (some: readonly ChildRound[], key: "runMs" | "renewMs") =>
    median(some.flatMap(({ replies }) => replies.map((reply) => reply[key])));
  const perSecond = of(rounds, "perSecond");
  const engineRate = of(engine, "perSecond");
  const bareRate = of(bare, "perSecond");
  const share = perSecond / engineRate;
  const cpuShare = of(engine, "cpuMs") / of(rounds, "cpuMs");
  const hundredths = (part: number) => `${(part * 100).toFixed(0)} in 100`;
  const byCpu = Number.isNaN(cpuShare) ? "" : `; by CPU time ${hundredths(cpuShare)}`;
  const [runMs, renewMs] = [told(engine, "runMs"), told(engine, "renewMs")];
  const cpu = { cpuMs: of(rounds, "cpuMs"), isolateOnlyCpuMs: of(engine, "cpuMs") };
  return [
    row(
      "sandbox.run, saturated: as many callers as workers",
      `p50 ${showMs(p50Ms)}, p99 ${showMs(p99Ms)}, ${showRate(perSecond)}`,
      { ...figures, perSecond, runs: latencies.length },
      atMost(p50Ms, WANTED_P50_MS, `p50 at most ${WANTED_P50_MS} ms`),
    ),
    row(
      "runs a second, of the isolate-only rate",
      `${hundredths(share)}: ${showRate(perSecond)} of ${showRate(engineRate)}${byCpu}`,
      { share, cpuShare, perSecond, isolateOnlyPerSecond: engineRate, ...cpu },
      atLeast(share, WANTED_SHARE, `at least ${WANTED_SHARE * 100} in 100`),
    ),
    row("a fresh isolate in the engine", `run ${showMs(runMs)}, then dispose and make the next ${showMs(renewMs)}`, {
      runMs,
      renewMs,
    }),
    row(
      "for comparison: bare isolated-vm, no guest",
      `${showRate(bareRate)}, ${showMs(told(bare, "runMs"))} from new isolate to dispose`,
      { perSecond: bareRate, runMs: told(bare, "runMs") },
    ),
  ];
}
