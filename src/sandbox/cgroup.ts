/**
 * A memory cgroup for each worker, where the host may make one below its own: the kernel then ends the worker at the very
 * page that is too much, where the watchdog only looks every few milliseconds. A second wall: where there is none to be had,
 * or one breaks, nothing else changes. Never moves a process of the host's.
 */

import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, rmdirSync, writeFileSync } from "node:fs";
import { startOf } from "./process-facts.ts";

/** The names of version 1 and 2 of the interface for the same things. */
const VERSIONS = {
  1: {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    files: "total_cache",
    events: "memory.oom_control",
  },
  2: { limit: "memory.max", used: "memory.current", files: "file", events: "memory.events" },
} as const;

interface Place {
  path: string;
  names: (typeof VERSIONS)[1 | 2];
}

const PREFIX = "sallyport-";
const MIB = 1024 * 1024;
/** V8 keeps up to 55 MiB of what earlier programs used, for later ones: more than that is no rest of theirs. */
const MOST_KEPT_BYTES = 64 * MIB;
const REMOVALS = 5;
const REMOVAL_PAUSE_MS = 200;

/** The group of a process under the controller of memory; null where there is none. */
export function memoryGroupOf(pid: number | "self"): Place | null {
  let text = "";
  try {
    text = readFileSync(`/proc/${pid}/cgroup`, "latin1");
  } catch {
    return null;
  }
  const old = /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.*)$/m.exec(text)?.[1];
  if (old !== undefined) return { path: `/sys/fs/cgroup/memory${old}`, names: VERSIONS[1] };
  const unified = /^0::(.*)$/m.exec(text)?.[1];
  return unified === undefined ? null : { path: `/sys/fs/cgroup${unified}`, names: VERSIONS[2] };
}

/** The limit of a group in bytes; null where it has none. Version 1 says "none" by a number near 2^63. */
export function readLimit({ path, names }: Place): number | null {
  try {
    const limit = Number(readFileSync(`${path}/${names.limit}`, "latin1"));
    return Number.isFinite(limit) && limit < 2 ** 50 ? limit : null;
  } catch {
    return null;
  }
}

export interface MemoryGroup {
  /** From now on what this process takes counts, and what its later children take. */
  add(pid: number): void;
  /** The worker is up: what it holds by now is its own, and limits are counted from there. */
  settle(workerPid: number): void;
  /** Ends the worker above this much more than it holds now, before its program begins. */
  limit(bytes: number): void;
  /** Whether the kernel ended a process in it for want of memory. */
  hasEndedOne(): boolean;
  remove(): void;
}

const figure = (text: string, name: string): number => Number(new RegExp(`^${name} (\\d+)`, "m").exec(text)?.[1] ?? 0);

interface Figure {
  read(): number;
  close(): void;
}

/** A file with one number, held open: it is read before every run, and opening it takes ten times as long as reading. */
function openFigure(path: string): Figure {
  const fd = openSync(path, "r");
  const buffer = Buffer.alloc(32);
  return {
    read: () => Number(buffer.toString("latin1", 0, readSync(fd, buffer, 0, buffer.length, 0))),
    close: () => closeSync(fd),
  };
}

/** Groups of hosts that are no more; one in which something still runs cannot be removed, and stays. */
function removeOrphans({ path }: Place): void {
  for (const name of readdirSync(path)) {
    const [, pid, start] = /^sallyport-(\d+)-(\d+)-\d+$/.exec(name) ?? [];
    if (pid === undefined || startOf(Number(pid)) === start) continue;
    try {
      rmdirSync(`${path}/${name}`);
    } catch {}
  }
}

/** Where groups are made: below the host's own, so that whatever limits the host limits its workers as well. */
let place: Place | null | undefined;
let serial = 0;

function findPlace(): Place | null {
  if (place !== undefined) return place;
  place = process.platform === "linux" ? memoryGroupOf("self") : null;
  try {
    if (place) removeOrphans(place);
  } catch {
    place = null;
  }
  return place;
}

/** Null where the host may make none. @param wallBytes the limit of the whole worker, from its start on */
export function createMemoryGroup(wallBytes: number): MemoryGroup | null {
  const parent = findPlace();
  if (parent === null) return null;
  const name = `${PREFIX}${process.pid}-${startOf(process.pid)}-${serial++}`;
  const group: Place = { ...parent, path: `${parent.path}/${name}` };
  const read = (file: string): string => readFileSync(`${group.path}/${file}`, "latin1");
  // To what is there: below a group of version 2 that hands no controller on, there is no such file.
  const write = (file: string, value: number): void =>
    writeFileSync(`${group.path}/${file}`, String(value), { flag: "r+" });
  try {
    mkdirSync(group.path);
    write(group.names.limit, wallBytes);
  } catch {
    removeLater(group.path);
    place = null;
    return null;
  }
  let heldBytes: number | null = null;
  let fileBytes = 0;
  let limited = 0;
  let used: Figure | null = null;
  return {
    add: (pid) => void attempt(() => write("cgroup.procs", pid)),
    settle(workerPid) {
      // A command may have started its worker before it was counted itself: what that holds by now counts elsewhere.
      if (memoryGroupOf(workerPid)?.path !== group.path) attempt(() => write("cgroup.procs", workerPid));
      if (memoryGroupOf(workerPid)?.path !== group.path) return;
      // Pages of files are given back before anybody is ended: they are nobody's need.
      fileBytes = attempt(() => figure(read("memory.stat"), group.names.files)) ?? 0;
      const opened = attempt(() => openFigure(`${group.path}/${group.names.used}`));
      used = opened;
      heldBytes = opened && attempt(() => opened.read() - fileBytes);
    },
    limit(bytes) {
      if (heldBytes === null) return;
      const now = (attempt(() => used?.read()) ?? 0) - fileBytes;
      const kept = Math.min(Math.max(now - heldBytes, 0), MOST_KEPT_BYTES);
      // In whole MiB: one that holds what it held is not told its limit again.
      const whole = Math.floor((heldBytes + kept + bytes) / MIB) * MIB;
      if (whole === limited) return;
      limited = whole;
      attempt(() => write(group.names.limit, whole));
    },
    hasEndedOne: () => attempt(() => figure(read(group.names.events), "oom_kill") > 0) ?? false,
    remove() {
      used?.close();
      used = null;
      removeLater(group.path);
    },
  };
}

function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}

/** A group is empty a moment after its last process has ended. */
function removeLater(path: string, left = REMOVALS): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EBUSY" || left === 0) return;
    setTimeout(() => removeLater(path, left - 1), REMOVAL_PAUSE_MS).unref();
  }
}
