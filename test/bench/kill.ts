/**
 * How soon the next program has its answer after one that only SIGKILL could end. One worker only, so that the next
 * run meets the standby and no worker that happens to be idle.
 */

import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { listChildren, waitForWorkers } from "./processes.ts";
import { atMost, type Row, row, showMs } from "./row.ts";
import { median, percentile, timeMs } from "./statistics.ts";
import { runProgram, type Subject, scale, takeRounds } from "./subject.ts";

/** One built-in that V8 cannot interrupt, and that takes no memory. */
const UNENDING = "[].reverse.call({ length: 2 ** 53 - 1 })";
const WANTED_MS = 15;

async function measure(standby: number, rounds: number): Promise<number[]> {
  const others = new Set(listChildren());
  await using sandbox = await createSandbox({
    containment: "process",
    workers: 1,
    standby,
    limits: { killGraceMs: 10 },
  });
  const samples: number[] = [];
  for (const round of takeRounds(rounds, standby > 0 ? 12_000 : 6000)) {
    if (standby > 0 || round === 0) await waitForWorkers(others, 1 + standby);
    const { status, usage } = await sandbox.run({
      language: "javascript",
      source: UNENDING,
      limits: { timeoutMs: 50 },
    });
    if (status !== "timeout" || usage.cpuMs !== null) throw new Error(`expected a killed worker, got ${status}`);
    samples.push(await timeMs(() => runProgram(sandbox)));
  }
  return samples;
}

export async function measureKill(subject: Subject): Promise<Row[]> {
  const withStandby = await measure(1, scale(subject, 9, 1));
  const without = await measure(0, scale(subject, 5, 1));
  const p50Ms = median(withStandby);
  const highestMs = percentile(withStandby, 1);
  return [
    row(
      "SIGKILL to the next result, one worker and a standby",
      `median ${showMs(p50Ms)}, highest ${showMs(highestMs)}`,
      { p50Ms, highestMs, kills: withStandby.length },
      atMost(p50Ms, WANTED_MS, `median at most ${WANTED_MS} ms`),
    ),
    row("SIGKILL to the next result, no standby", `median ${showMs(median(without))}`, { p50Ms: median(without) }),
  ];
}
