/**
 * When a process started: with its id, what tells it from a later one that was given the same. Linux only.
 */

import { readFileSync } from "node:fs";

/** In clock ticks since boot; null where there is no such process. */
export function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name stands in parentheses and may hold anything: fields are counted from the last one.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
