/**
 * The row of worker faults: each again and again, every call answered once and truly, the pool whole again soon.
 * The real pool and supervisor around a real process that misbehaves.
 */

import type { Status } from "../../src/types.ts";
import { percentile } from "../bench/statistics.ts";
import { createFakePool, type FakePool } from "../fixtures/fake-pool.ts";
import { runHost } from "../fixtures/run-host.ts";
import { type Effort, judge, type Row, scaled } from "./effort.ts";

const CRASHED: readonly Status[] = ["crashed"];
const OK: readonly Status[] = ["ok"];
const TIMEOUT: readonly Status[] = ["timeout"];
/** No worker of these pools ever begins a run, so the call is told that it did not run. */
const UNAVAILABLE: readonly Status[] = ["unavailable"];

/** What a worker does, and what its call may end as. */
const FAULTS: Readonly<Record<string, readonly Status[]>> = {
  killsItself: CRASHED,
  stopsItself: TIMEOUT,
  exits: CRASHED,
  exitsBeforeTheStart: UNAVAILABLE,
  exitsInAnAnswer: CRASHED,
  exitsInALength: CRASHED,
  hangsInAnAnswer: TIMEOUT,
  writesGarbage: CRASHED,
  answersForAnotherRun: CRASHED,
  answersTwice: OK,
  writesAHugeFrame: CRASHED,
  writesADeepFrame: CRASHED,
  writesAWideFrame: CRASHED,
  truncatesTwice: CRASHED,
  talksInItsSleep: OK,
  beginsAFrameInItsSleep: OK,
  crashesAfterTheAnswer: OK,
  disposesForEver: OK,
  stopsInItsSleep: OK,
  startsSlowly: OK,
  hangs: TIMEOUT,
};
const TIMEOUT_MS = 60;
/** Where the fault is not that nothing comes: writing a frame of megabytes takes a while. */
const PATIENT_MS = 10_000;
const WHOLE_MS = 300;
const NEVER_MS = 60_000;
/** Starts of whole host processes, which are slow: some for every so many of the others. */
const PER_HOST = 20;

const ready = (fake: FakePool): number => fake.started.filter(({ isUsable }) => isUsable).length;

async function waitUntilWhole(fake: FakePool): Promise<number> {
  const started = performance.now();
  while (ready(fake) < 2 && performance.now() < started + NEVER_MS) await new Promise((done) => setTimeout(done, 1));
  return performance.now() - started;
}

interface Seen {
  untyped: string[];
  unanswered: number;
  wholeMs: number[];
  calls: number;
}

async function repeat(fault: string, times: number, seen: Seen): Promise<void> {
  await using fake = await createFakePool({ behaviours: [fault], size: 1, standby: 1, restLimitMs: 100 });
  for (let time = 0; time < times; time++) {
    await waitUntilWhole(fake);
    const patience = new Promise<null>((resolve) => setTimeout(resolve, NEVER_MS, null).unref());
    const observation = await Promise.race([
      fake.run({ limits: { timeoutMs: FAULTS[fault] === TIMEOUT ? TIMEOUT_MS : PATIENT_MS } }),
      patience,
    ]);
    seen.calls++;
    if (observation === null) seen.unanswered++;
    else if (!FAULTS[fault]?.includes(observation.status)) seen.untyped.push(`${fault}: ${observation.status}`);
    if (fault !== "startsSlowly") seen.wholeMs.push(await waitUntilWhole(fake));
  }
}

export async function measureFaults(effort: Effort): Promise<Row[]> {
  const times = scaled(effort, 200);
  const seen: Seen = { untyped: [], unanswered: 0, wholeMs: [], calls: 0 };
  for (const fault of Object.keys(FAULTS))
    await repeat(fault, fault === "startsSlowly" ? Math.min(times, 5) : times, seen);
  const hosts = Math.max(1, Math.round(times / PER_HOST));
  for (let host = 0; host < hosts; host++) {
    const { code, lines } = await runHost("starved-host.ts", []);
    seen.calls += lines.length;
    if (code !== 0 || lines.length !== 4) seen.untyped.push(`a host without file descriptors ended with ${code}`);
  }
  const [p50Ms, highestMs] = [percentile(seen.wholeMs, 0.5), percentile(seen.wholeMs, 1)];
  if (seen.untyped.length > 0) process.stderr.write(`worker faults: ${seen.untyped.slice(0, 5).join("; ")}\n`);
  return [
    judge(
      "worker faults",
      `${Object.keys(FAULTS).length} faults, each ${times} times: typed, none lost, none twice; standby ready again within ${WHOLE_MS} ms`,
      `${seen.calls} calls: ${seen.untyped.length} untyped, ${seen.unanswered} unanswered; whole again after ${p50Ms.toFixed(0)} ms (median), ${highestMs.toFixed(0)} ms (highest)`,
      { typed: seen.untyped.length === 0, answered: seen.unanswered === 0 },
      { "within 300 ms (highest)": highestMs <= WHOLE_MS },
    ),
  ];
}
