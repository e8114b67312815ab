/**
 * Rows about many harmless programs: each caller gets its own canary back, the host's memory stays as it is,
 * and hostile neighbours change neither.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { RunRequest, Sandbox } from "../../src/types.ts";
import { median, pause, percentile, timeMs } from "../bench/statistics.ts";
import { readCorpus } from "./corpus.ts";
import { type Effort, judge, type Row, scaled } from "./effort.ts";

const MIB = 1024 * 1024;
const CALLERS = 200;
const ALLOWED_GROWTH_MB = 32;
const QUEUE = { queueTimeoutMs: 600_000, maxQueue: 100_000 };

type Owner = Pick<RunRequest, "tenant">;

/** Resident memory of this process when everything that can be freed is. */
export function settledMb(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 3; round++) collect();
  return process.memoryUsage().rss / MIB;
}

async function runCanary(sandbox: Sandbox, canary: string, of: Owner = {}): Promise<boolean> {
  const source = `console.log("${canary}"); "${canary}".split("").reverse().join("")`;
  const { ok, result, stdout } = await sandbox.run({
    language: "javascript",
    source,
    limits: { timeoutMs: 20_000 },
    ...of,
  });
  return ok && result === [...canary].reverse().join("") && stdout.length === 1 && stdout[0] === canary;
}

/** `count` runs from so many callers; how many were right. */
async function callAll(sandbox: Sandbox, count: number, callers: number): Promise<number> {
  let begun = 0;
  let right = 0;
  const call = async (caller: number): Promise<void> => {
    while (begun < count) if (await runCanary(sandbox, `caller-${caller}-run-${begun++}`)) right++;
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return right;
}

export async function measureLoad(effort: Effort): Promise<Row[]> {
  const count = scaled(effort, 100_000);
  await using sandbox = await createSandbox({ workers: 2, startTimeoutMs: 60_000, limits: QUEUE });
  await callAll(sandbox, Math.min(5000, count), CALLERS);
  const before = settledMb();
  const started = performance.now();
  const right = await callAll(sandbox, count, CALLERS);
  const seconds = (performance.now() - started) / 1000;
  await pause(100);
  const growth = settledMb() - before;
  return [
    judge(
      "load",
      `${count} harmless runs from ${CALLERS} callers: all right, each with its own canary`,
      `${right} of ${count} right, ${Math.round(count / seconds)} a second`,
      { "all right": right === count },
    ),
    judge(
      "memory of the host",
      `grows by at most ${ALLOWED_GROWTH_MB} MiB over ${count} runs`,
      `${growth.toFixed(1)} MiB`,
      { "within its growth": growth <= ALLOWED_GROWTH_MB },
    ),
  ];
}

const ALLOWED_SLOWER = 3;

/** Callers that the sandbox cannot tell apart, and callers that it can. */
export async function measureNeighbours(effort: Effort): Promise<Row[]> {
  return [
    await besideHostile(effort, "neighbours", {}, {}),
    await besideHostile(effort, "neighbours, tenants", { tenant: "harmless" }, { tenant: "hostile" }),
  ];
}

async function besideHostile(effort: Effort, what: string, good: Owner, bad: Owner): Promise<Row> {
  const count = scaled(effort, 2000);
  const hostile = readCorpus(null).filter(({ source }) => source.length <= 4000);
  // Plain processes: what a launcher adds to the start of a worker is not what neighbours do to each other.
  await using sandbox = await createSandbox({
    containment: "process",
    workers: 2,
    standby: 1,
    startTimeoutMs: 60_000,
    limits: QUEUE,
  });
  let right = 0;
  const harmless = async (name: string): Promise<number> =>
    timeMs(async () => {
      if (await runCanary(sandbox, name, good)) right++;
    });
  const quiet: number[] = [];
  for (let run = 0; run < count; run++) quiet.push(await harmless(`quiet-${run}`));
  const rightWhenQuiet = right;
  right = 0;
  let leaked = 0;
  let hostileRuns = 0;
  let isOver = false;
  const attack = async (): Promise<void> => {
    while (hostileRuns < count || !isOver) {
      hostileRuns++;
      const { source } = effort.chance.pick(hostile);
      // With the limits of a default run: each loop has its whole second, and ends its worker.
      const observation = await sandbox.run({ language: "javascript", source, ...bad });
      if (/quiet-|beside-|caller-/.test(JSON.stringify(observation))) leaked++;
    }
  };
  const beside: number[] = [];
  const serve = async (): Promise<void> => {
    // As long as there is an attack on: a harmless run beside nothing says nothing.
    for (let run = 0; run < count || hostileRuns < count; run++) {
      beside.push(await harmless(`beside-${run}`));
      await pause(1);
    }
    isOver = true;
  };
  await Promise.all([attack(), serve()]);
  const [quietMs, besideMs] = [percentile(quiet, 0.99), percentile(beside, 0.99)];
  return judge(
    what,
    `${count} hostile beside at least ${count} harmless, two workers: all harmless right, p99 at most ${ALLOWED_SLOWER} times the quiet one`,
    `${right} of ${beside.length} right beside ${hostileRuns} hostile; p99 ${besideMs.toFixed(1)} ms, quiet ${quietMs.toFixed(1)} ms (medians ${median(beside).toFixed(2)} and ${median(quiet).toFixed(2)})`,
    {
      "all right": right === beside.length && rightWhenQuiet === quiet.length,
      "each its own data": leaked === 0,
    },
    { "within the p99": besideMs <= ALLOWED_SLOWER * quietMs },
  );
}
