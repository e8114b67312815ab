/**
 * The row of calls that their caller gives up at any moment: one outcome each, and nothing goes on computing.
 */

import { readFileSync } from "node:fs";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { pause, percentile } from "../bench/statistics.ts";
import { listSurvivors, listTree, type ProcessMark } from "../studio/process-tree.ts";
import { type Effort, judge, type Row, scaled } from "./effort.ts";

const SOURCES = [
  "for (;;);",
  "[].reverse.call({ length: 2 ** 53 - 1 })",
  "const kept = []; for (;;) { kept.push(new Array(1e4).fill(1.5)); if (kept.length > 50) kept.length = 0 }",
  "for (let n = 0; n < 50; n++) { console.log(n); for (let m = 0; m < 1e5; m++); } 1",
  "1",
];
const LONGEST_MS = 30;
const IDLE_MS = 250;
/** Between two looks at who still computes. */
const LOOK_EVERY = 20;

/** How long a process that was there goes on after its call was given up; workers that rest go on as they may. */
async function msUntilIdle(busy: readonly ProcessMark[], started: number, isBusy: () => boolean): Promise<number> {
  while (isBusy() && listSurvivors(busy).length > 0 && performance.now() < started + 5000) await pause(2);
  return performance.now() - started;
}

export async function measureCancel(effort: Effort): Promise<Row[]> {
  const { chance } = effort;
  const count = scaled(effort, 2000);
  // Plain processes, whose CPU can be seen: a container is no child of ours.
  await using sandbox = await createSandbox({ containment: "process", workers: 1, standby: 1, startTimeoutMs: 60_000 });
  const outcomes: Record<string, number> = {};
  const idleMs: number[] = [];
  for (let call = 0; call < count; call++) {
    const controller = new AbortController();
    const source = chance.pick(SOURCES);
    const isWatched = call % LOOK_EVERY === 0;
    const endless = isWatched ? (SOURCES[call % (2 * LOOK_EVERY) === 0 ? 0 : 1] ?? source) : source;
    let isOn = false;
    const running = sandbox.run({
      language: "javascript",
      source: isWatched ? `console.log("on"); ${endless}` : endless,
      signal: controller.signal,
      limits: { timeoutMs: 20_000 },
      onStdout: () => {
        isOn = true;
      },
    });
    while (isWatched && !isOn) await pause(1);
    await pause(chance.below(LONGEST_MS));
    const busy = isWatched ? listTree(process.pid).filter(({ pid }) => isComputing(pid)) : [];
    const aborted = performance.now();
    controller.abort();
    const { status } = await running;
    outcomes[status] = (outcomes[status] ?? 0) + 1;
    if (busy.length > 0) idleMs.push(await msUntilIdle(busy, aborted, () => busy.some(({ pid }) => isComputing(pid))));
  }
  const told = Object.values(outcomes).reduce((sum, n) => sum + n, 0);
  const wrong = Object.keys(outcomes).filter(
    (status) => status !== "ok" && status !== "cancelled" && status !== "memory_limit",
  );
  const highestMs = percentile(idleMs, 1);
  return [
    judge(
      "cancel",
      `abort at random moments ${count} times: one outcome each, CPU idle within ${IDLE_MS} ms`,
      `${told} outcomes (${Object.entries(outcomes)
        .map(([status, n]) => `${status} ${n}`)
        .join(", ")}); idle after at most ${highestMs.toFixed(0)} ms in ${idleMs.length} looks`,
      { "one outcome each": told === count && wrong.length === 0 },
      { "idle in time": !(highestMs > IDLE_MS) },
    ),
  ];
}

function isComputing(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).startsWith("R");
  } catch {
    return false;
  }
}
