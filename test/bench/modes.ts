/**
 * What the stricter modes cost beside the default one: a worker for each tenant, a process for each run, and workers
 * without V8's compilers. Rates from as many callers as workers, one mode after the other; nothing is wanted of them.
 */

import { existsSync } from "node:fs";
import type { SandboxOptions } from "../../src/options.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Sandbox } from "../../src/types.ts";
import { listChildren, waitForWorkers } from "./processes.ts";
import { type Row, row, showMs, showRate } from "./row.ts";
import { median, pause, timeMs } from "./statistics.ts";
import { PROGRAM, type Subject, scale } from "./subject.ts";

/** So that workers that were started ahead are there again. */
const REST_MS = 600;
const LOOP = "const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); fib(30)";

type Create = (options: SandboxOptions) => Promise<Sandbox>;

async function rate(sandbox: Sandbox, callers: number, ms: number, tenants: number): Promise<number> {
  const started = performance.now();
  let runs = 0;
  const call = async (caller: number): Promise<void> => {
    // Each caller serves its own share of the tenants, in turns.
    for (let turn = caller; performance.now() < started + ms; turn += callers, runs++) {
      const tenant = tenants === 0 ? {} : { tenant: `tenant-${turn % tenants}` };
      const { status } = await sandbox.run({ language: "javascript", source: PROGRAM, ...tenant });
      if (status !== "ok") throw new Error(`expected a result, got ${status}`);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return (runs * 1000) / (performance.now() - started);
}

interface Seen {
  perSecond: number;
  /** Of a run whose worker had the time to be there. */
  restedMs: number;
}

async function measure(subject: Subject, options: SandboxOptions, tenants = 0): Promise<Seen> {
  const others = new Set(listChildren());
  await using sandbox = await createSandbox({ containment: "process", ...options });
  const { workers } = subject;
  await waitForWorkers(others, workers + 1);
  const perSecond = await rate(sandbox, workers, scale(subject, 4000, 1500), tenants);
  const rested: number[] = [];
  for (let run = 0; run < scale(subject, 9, 3); run++) {
    await pause(REST_MS);
    const request = { language: "javascript", source: PROGRAM, ...(tenants > 0 && { tenant: "tenant-0" }) } as const;
    rested.push(await timeMs(() => sandbox.run(request)));
  }
  return { perSecond, restedMs: median(rested) };
}

/** One loop in a hardened worker and in one beside it that compiles; null where no hardened one starts, with why. */
async function measureHardened(subject: Subject): Promise<Row> {
  const what = "hardened: CPU work beside compiled code";
  const built = new URL("../../dist/index.js", import.meta.url);
  if (!existsSync(built)) return row(what, "not measured: it needs built files (npm run build)", {});
  const { createSandbox: createBuilt } = (await import(built.href)) as { createSandbox: Create };
  const run = async (hardened: boolean): Promise<number> => {
    await using sandbox = await createBuilt({ containment: "auto", workers: 1, hardened });
    const limits = { timeoutMs: 20_000 };
    const samples: number[] = [];
    for (let time = 0; time < scale(subject, 5, 2); time++) {
      const { status, usage } = await sandbox.run({ language: "javascript", source: LOOP, limits });
      if (status !== "ok") throw new Error(`expected a result, got ${status}`);
      samples.push(usage.wallMs);
    }
    return median(samples);
  };
  try {
    const [hardenedMs, plainMs] = [await run(true), await run(false)];
    const times = hardenedMs / plainMs;
    return row(what, `${times.toFixed(1)} times: ${showMs(hardenedMs)} beside ${showMs(plainMs)}`, { times });
  } catch (error) {
    return row(what, `not measured: ${error instanceof Error ? error.message : String(error)}`, {});
  }
}

export async function measureModes(subject: Subject): Promise<Row[]> {
  const plain = await measure(subject, {});
  const one = await measure(subject, { runsPerWorker: 1 });
  const pair = await measure(subject, {}, subject.workers);
  const crowd = await measure(subject, {}, 2 * subject.workers);
  const describe = (what: string, { perSecond, restedMs }: Seen): Row => {
    const share = perSecond / plain.perSecond;
    const seen = `${showRate(perSecond)}, ${(share * 100).toFixed(0)} in 100 of the default's; after a rest ${showMs(restedMs)}`;
    return row(what, seen, { perSecond, share, restedMs });
  };
  return [
    describe("default mode: a worker for many runs", plain),
    describe("runsPerWorker: 1, a process for each run", one),
    describe("tenant: as many tenants as workers", pair),
    describe("tenant: twice as many, in turns", crowd),
    await measureHardened(subject),
  ];
}
