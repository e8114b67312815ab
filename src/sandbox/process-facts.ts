/**
 * What Linux says of a process, by its id.
 * Never throws: what is not told, elsewhere than on Linux everything, is null or 0.
 */

import { readFileSync } from "node:fs";

/** When it started, in clock ticks since boot: a number that was given again is another process. Null where there is none. */
export function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name stands in parentheses and may hold anything: fields are counted from the last one.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

/** Its resident memory; 0 where the system does not say. */
export function residentBytesOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * 4096;
  } catch {
    return 0;
  }
}

/** How large a stack this process may give to another, in bytes; 0 where the system does not say. */
export function hardStackLimit(): number {
  try {
    const [, hard = ""] = /^Max stack size +\S+ +(\S+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return hard === "unlimited" ? Number.POSITIVE_INFINITY : Number(hard);
  } catch {
    return 0;
  }
}
