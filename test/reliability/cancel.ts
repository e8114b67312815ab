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
/** Some clock ticks, by which the worker of a watched program is told from others. */
const LEAST_WATCHED_MS = 60;
const IDLE_MS = 250;
/** Between two looks at who still computes. */
const LOOK_EVERY = 20;

/** How much processor time each process below this one has had, in clock ticks. */
function readTicks(): Map<number, number> {
  const below = listTree(process.pid).filter(({ pid }) => pid !== process.pid);
  return new Map(below.map(({ pid }) => [pid, ticksOf(pid)]));
}

/** Until nobody computes: a worker that still starts would be taken for the program's. */
async function whenQuiet(): Promise<void> {
  const sum = () => [...readTicks().values()].reduce((total, ticks) => total + ticks, 0);
  for (let last = -1, now = sum(); now !== last; now = sum()) {
    last = now;
    await pause(LEAST_WATCHED_MS);
  }
}

/** Who of them has computed most since: a program that never ends computes without a pause. */
function findBusiest(marks: readonly ProcessMark[], before: ReadonlyMap<number, number>): ProcessMark[] {
  const since = ({ pid }: ProcessMark) => ticksOf(pid) - (before.get(pid) ?? 0);
  const others = marks.filter(({ pid }) => pid !== process.pid);
  return others.sort((a, b) => since(b) - since(a)).slice(0, 1);
}

/** How long it is there after its call was given up. */
async function msUntilGone(busiest: readonly ProcessMark[], aborted: number): Promise<number> {
  while (listSurvivors(busiest).length > 0 && performance.now() < aborted + 5000) await pause(1);
  return performance.now() - aborted;
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
    if (isWatched) await whenQuiet();
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
    const before = isWatched ? readTicks() : new Map();
    await pause(chance.below(LONGEST_MS) + (isWatched ? LEAST_WATCHED_MS : 0));
    const busiest = isWatched ? findBusiest(listTree(process.pid), before) : [];
    const aborted = performance.now();
    controller.abort();
    if (isWatched) idleMs.push(await msUntilGone(busiest, aborted));
    const { status } = await running;
    outcomes[status] = (outcomes[status] ?? 0) + 1;
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

function ticksOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
