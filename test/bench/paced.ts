/**
 * One caller that rests between calls, as a model does: `sandbox.run` and every contender in turn, round by round, so
 * that whatever else the machine does meets all of them.
 */

import { createFakePool } from "../fixtures/fake-pool.ts";
import { listContenders } from "./contenders.ts";
import { absentRow, atLeast, atMost, type Row, row, showMs } from "./row.ts";
import { median, PACE_MS, pause, summarize, timeMs } from "./statistics.ts";
import { runProgram, type Subject, scale, takeRounds } from "./subject.ts";

const RUNS_PER_ROUND = 80;
const WANTED_P50_MS = 0.4;
const WANTED_TIMES = 20;

async function collect(samples: number[], count: number, call: () => Promise<void>): Promise<void> {
  for (let index = 0; index < count; index++) {
    await pause(PACE_MS);
    samples.push(await timeMs(call));
  }
}

export async function measurePaced(subject: Subject): Promise<Row[]> {
  const contenders = await listContenders(subject.workerNode);
  const own: number[] = [];
  // The same pool, frames and processes around a worker that answers at once: what no engine can be faster than.
  await using bare = await createFakePool();
  const floor: number[] = [];
  await bare.run();
  const others = contenders.map(() => [] as number[]);
  for (const { call } of contenders) await call?.();
  for (const _ of takeRounds(scale(subject, 8, 2), 14_000)) {
    await collect(own, RUNS_PER_ROUND, () => runProgram(subject.sandbox));
    await collect(floor, RUNS_PER_ROUND / 4, async () => void (await bare.run()));
    for (const [index, { call, callsPerRound }] of contenders.entries()) {
      if (call) await collect(others[index] ?? [], callsPerRound, call);
    }
  }
  const figures = summarize(own);
  const { p50Ms, p99Ms } = figures;
  const rows = contenders.map(({ name, call }, index) => {
    const otherMs = median(others[index] ?? []);
    const times = otherMs / p50Ms;
    const what = `beside: ${name}`;
    if (!call) return absentRow(what);
    const wanted =
      index === 0 ? atLeast(times, WANTED_TIMES, `at least ${WANTED_TIMES} times sandbox.run, paced`) : undefined;
    const seen = `p50 ${showMs(otherMs)}, ${times.toFixed(times < 10 ? 1 : 0)} times sandbox.run`;
    return row(what, seen, { p50Ms: otherMs, times }, wanted);
  });
  const wanted = atMost(p50Ms, WANTED_P50_MS, `p50 at most ${WANTED_P50_MS} ms`);
  const what = `sandbox.run, paced: one caller, ${PACE_MS} ms apart`;
  const floorMs = median(floor);
  return [
    row(what, `p50 ${showMs(p50Ms)}, p99 ${showMs(p99Ms)}`, { ...figures, runs: own.length }, wanted),
    row("of which: pool, frames and processes, with nothing run", `p50 ${showMs(floorMs)}`, { p50Ms: floorMs }),
    ...rows,
  ];
}
