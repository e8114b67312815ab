/**
 * What the system says of this process's children: which there are, what they hold, how long they have run.
 * Linux only; elsewhere there is nothing to say, and the rows that need it say so.
 */

import { readdirSync, readFileSync } from "node:fs";
import { pause } from "./statistics.ts";

const PAGE_BYTES = 4096;
const MIB = 1024 * 1024;
const NS_PER_MS = 1e6;
const MS_PER_TICK = 10;
/** Fields of /proc/ID/stat. */
const USER_TIME = 13;
const CHILDREN_TIME = 15;
const POLL_MS = 20;
const CALM_POLLS = 6;
const BLIND_WAIT_MS = 1500;
const LONGEST_WAIT_MS = 10_000;

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

/** Fields of /proc/ID/stat by their index; the name, which may hold spaces, is left out. */
function readStat(id: number | "self"): string[] {
  const text = readFileSync(`/proc/${id}/stat`, "latin1");
  return ["", "", ...text.slice(text.lastIndexOf(")") + 2).split(" ")];
}

/** CPU time of a process, in all its threads; with that of its ended children where they are asked for. */
function readCpuMs(id: number | "self", withEnded: boolean): number {
  const fields = readStat(id);
  const at = (index: number) => Number(fields[index]) + Number(fields[index + 1]);
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

/** Waits until there are `count` children beside `others` and none of them has anything to do: a pool is ready. */
export async function waitForWorkers(others: ReadonlySet<number>, count: number): Promise<number[]> {
  if (listChildren().length === 0) await pause(BLIND_WAIT_MS);
  const until = performance.now() + LONGEST_WAIT_MS;
  for (let calm = 0; calm < CALM_POLLS && performance.now() < until; calm++) {
    await pause(POLL_MS);
    const workers = listChildren().filter((id) => !others.has(id));
    if (workers.length < count || !workers.every(isWaiting)) calm = -1;
  }
  return listChildren().filter((id) => !others.has(id));
}

/** In all its threads: an engine may make its next isolate on another than the main one. */
function isWaiting(id: number): boolean {
  try {
    const threads = readdirSync(`/proc/${id}/task`);
    return threads.every((thread) => {
      const text = readFileSync(`/proc/${id}/task/${thread}/stat`, "latin1");
      return text.slice(text.lastIndexOf(")") + 2).startsWith("S");
    });
  } catch {
    return false;
  }
}
