/**
 * What the system says of this process's children: which there are, what they hold, how long they have run.
 * Linux only; elsewhere there is nothing to say, and the rows that need it say so.
 */

import { readFileSync } from "node:fs";

const PAGE_BYTES = 4096;
const MIB = 1024 * 1024;
const NS_PER_MS = 1e6;

/** Ids of the children; empty where the system does not say. */
export function listChildren(): number[] {
  try {
    const text = readFileSync(`/proc/self/task/${process.pid}/children`, "latin1");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function readField(path: string, index: number): number {
  return Number(readFileSync(path, "latin1").split(" ")[index]);
}

export function readResidentMb(id: number): number {
  return (readField(`/proc/${id}/statm`, 1) * PAGE_BYTES) / MIB;
}

/** CPU time of the main thread so far, in which an isolate runs. Exact while that thread waits. */
export function readMainThreadCpuMs(id: number): number {
  return readField(`/proc/${id}/schedstat`, 0) / NS_PER_MS;
}

const MS_PER_TICK = 10;
const USER_TIME = 13;
const CHILDREN_TIME = 15;

/** CPU time of a process, in all its threads; with that of its ended children where they are asked for. */
function readCpuMs(id: number | "self", withEnded: boolean): number {
  const text = readFileSync(`/proc/${id}/stat`, "latin1");
  // The name, in parentheses, may hold spaces.
  const fields = `0 0 ${text.slice(text.lastIndexOf(")") + 2)}`.split(" ").map(Number);
  const at = (index: number) => (fields[index] ?? 0) + (fields[index + 1] ?? 0);
  return (at(USER_TIME) + (withEnded ? at(CHILDREN_TIME) : 0)) * MS_PER_TICK;
}

/** CPU time so far of this process and every child it has or had; NaN where the system does not say. */
export function readFamilyCpuMs(): number {
  try {
    return listChildren().reduce((sum, id) => sum + readCpuMs(id, false), readCpuMs("self", true));
  } catch {
    return Number.NaN;
  }
}
