/**
 * Who descends from a process, and who of a list still runs: read from /proc, so Linux only.
 * A zombie has ended and waits for its parent to notice; it is not a survivor, nor is one that the kernel is taking down,
 * which runs nothing any more. A pid that was given again is another process.
 */

import { readdirSync, readFileSync } from "node:fs";

export interface ProcessMark {
  pid: number;
  /** When it started, in clock ticks since boot: tells a process from a later one with the same id. */
  startTicks: string;
}

interface Entry extends ProcessMark {
  ppid: number;
  hasEnded: boolean;
}

/** Of the kernel's flags of a process: it is on its way out. */
const PF_EXITING = 4;

function readEntry(pid: number): Entry | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name stands in parentheses and may hold anything, so fields are counted from the last one.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const hasEnded = fields[0] === "Z" || (Number(fields[6]) & PF_EXITING) !== 0;
    return { pid, hasEnded, ppid: Number(fields[1]), startTicks: fields[19] ?? "" };
  } catch {
    return null;
  }
}

function readAll(): Entry[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readEntry(Number(name)) ?? []);
}

/** The process and everything below it that has not ended. */
export function listTree(pid: number): ProcessMark[] {
  const entries = readAll();
  const found: Entry[] = entries.filter((entry) => entry.pid === pid);
  for (const parent of found) found.push(...entries.filter((entry) => entry.ppid === parent.pid));
  return found.filter(({ hasEnded }) => !hasEnded).map(({ pid: id, startTicks }) => ({ pid: id, startTicks }));
}

/** Whether it waits for the end of a host, to clear up after it. */
function isUndertaker(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes("sallyport-undertaker");
  } catch {
    return false;
  }
}

/** Those below it that started nothing themselves: its workers, whatever stands between. */
export function listLeaves(pid: number): ProcessMark[] {
  const tree = listTree(pid);
  const parents = new Set(readAll().map(({ ppid }) => ppid));
  return tree.filter((mark) => mark.pid !== pid && !parents.has(mark.pid) && !isUndertaker(mark.pid));
}

export function listSurvivors(marks: readonly ProcessMark[]): number[] {
  return marks.flatMap((mark) => {
    const entry = readEntry(mark.pid);
    return entry && entry.startTicks === mark.startTicks && !entry.hasEnded ? [mark.pid] : [];
  });
}
