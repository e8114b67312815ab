/**
 * The row of hosts that die: killed at random moments, from before the first worker is up to the middle of a built-in that
 * nothing interrupts. No worker lives on, by whatever launcher it was started.
 */

import { readdirSync, readFileSync } from "node:fs";
import { pause, percentile } from "../bench/statistics.ts";
import { startHost } from "../fixtures/run-host.ts";
import { type Containment, type Effort, judge, type Row, scaled } from "./effort.ts";

const ALLOWED_MS = 1000;
const GIVE_UP_MS = 10_000;
const LONGEST_MS = 400;

function readText(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/**
 * Live processes, wherever they hang in the tree, whose environment or arguments carry the mark; zombies have ended. What
 * holds a container for its engine knows it by its name alone, as does what ends it, which is not looked for.
 */
function listMarked(mark: string, name: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const texts = [readText(`/proc/${pid}/environ`), readText(`/proc/${pid}/cmdline`)];
      const isMonitor = readText(`/proc/${pid}/comm`) === "conmon\n" && texts.some((text) => text.includes(name));
      if (!isMonitor && !texts.some((text) => text.includes(mark))) return false;
      const stat = readText(`/proc/${pid}/stat`);
      return !stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
    });
}

async function killOne(containment: Containment, way: string, mark: string, waitMs: number): Promise<number> {
  const host = startHost("../reliability/restart-host.ts", [containment, mark, way]);
  try {
    if (way !== "starting") await host.nextLine();
    if (way === "uninterruptible") await host.nextLine();
    await pause(waitMs);
  } finally {
    host.kill();
  }
  await host.whenEnded;
  const killed = performance.now();
  // The host itself carries the mark in its arguments, and is gone by now.
  const name = `sallyport-${host.pid}-`;
  while (listMarked(mark, name).length > 0 && performance.now() < killed + GIVE_UP_MS) await pause(10);
  return performance.now() - killed;
}

const WAYS = ["uninterruptible", "running", "running", "starting"];

export async function measureRestart(effort: Effort): Promise<Row[]> {
  const { chance, launchers } = effort;
  const count = scaled(effort, 200);
  const rows: Row[] = [];
  for (const containment of launchers) {
    const goneMs: number[] = [];
    for (let time = 0; time < count; time++) {
      const mark = `restart-${process.pid}-${chance.below(2 ** 32)}-${time}`;
      const way = WAYS[time % WAYS.length] ?? "running";
      goneMs.push(
        await killOne(containment, way, mark, chance.below(way === "starting" ? 3 * LONGEST_MS : LONGEST_MS)),
      );
    }
    const highestMs = percentile(goneMs, 1);
    rows.push(
      judge(
        `restart, ${containment}`,
        `kill -9 of the host at random moments, ${count} times: no live worker after ${ALLOWED_MS} ms`,
        `all gone after at most ${highestMs.toFixed(0)} ms`,
        { gone: highestMs < GIVE_UP_MS },
        { "within 1 s": highestMs <= ALLOWED_MS },
      ),
    );
  }
  return rows;
}
