/**
 * The thread that ends workers: at their deadline, or over their memory limit, whatever the caller's event loop does.
 * Loads nothing of the product but the layout of the shared memory; sleeps while no run is on.
 */

import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { ARMED, CAUSES, CLOSED, monotonicMs, openSharedMemory, SLEEPING, slotAt } from "./supervisor-memory.ts";

const POLL_MS = 4;
/** Polls without a run after which the thread sleeps until it is woken. */
const IDLE_POLLS = 25;
const PAGE_BYTES = 4096;
const canReadMemory = process.platform === "linux";

const { memory, count } = workerData as { memory: SharedArrayBuffer; count: number };
const { words, numbers } = openSharedMemory(memory, count);
const slots = Array.from({ length: count }, (_, slot) => ({
  ...slotAt(slot),
  statm: null as { pid: number; turn: number; fd: number } | null,
}));
const buffer = Buffer.alloc(128);

/** What is known of a process that is not resident: it is gone, has given all its memory back, or cannot be looked at. */
const GONE = -1;
const ENDED = -2;
const UNKNOWN = 0;

/**
 * Resident bytes, or one of these. Open by pid once for each worker, so that a reused pid is never mistaken for it, nor a
 * worker for an earlier one of the same pid, which is gone.
 * Unknown where it cannot be read, as in a host that has no file descriptor left: its deadline holds all the same.
 */
function residentBytes(slot: (typeof slots)[number], pid: number): number {
  try {
    const turn = Atomics.load(words, slot.turn);
    if (slot.statm?.pid !== pid || slot.statm.turn !== turn) {
      const old = slot.statm;
      // Before it is closed: a number that was closed may already be another file's.
      slot.statm = null;
      if (old) closeSync(old.fd);
      slot.statm = { pid, turn, fd: openSync(`/proc/${pid}/statm`, "r") };
    }
    const text = buffer.toString("latin1", 0, readSync(slot.statm.fd, buffer, 0, buffer.length, 0));
    return Number(text.split(" ")[1]) * PAGE_BYTES || ENDED;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ESRCH" ? GONE : UNKNOWN;
  }
}

function end(slot: (typeof slots)[number], pid: number, cause: "deadline" | "memory"): void {
  if (Atomics.compareExchange(words, slot.cause, 0, CAUSES.indexOf(cause)) !== 0) return;
  numbers[slot.endedAt] = monotonicMs();
  let isOurs = true;
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // It ended by itself in the meantime; the cause stays, the caller reads what it wrote before.
    isOurs = (error as NodeJS.ErrnoException).code !== "EPERM";
  }
  const isWorker = pid === Atomics.load(words, slot.watchedPid) && isOurs;
  if (!isWorker) tellUndertaker(slot);
}

/** One that is gone, or does not read, is no reason to stop watching the others: its launcher starts another. */
function tellUndertaker(slot: (typeof slots)[number]): void {
  const serial = Atomics.load(words, slot.serial);
  if (serial === 0) return;
  try {
    writeSync(Atomics.load(words, slot.undertakerFd), `kill ${serial}\n`);
  } catch {
    // As above.
  }
}

/** By another's hand, the kernel's above all: its time is noted, since a caller whose loop is blocked sees it much later. */
function noteEnd(slot: (typeof slots)[number]): void {
  if (Atomics.load(words, slot.cause) === 0) numbers[slot.endedAt] ||= monotonicMs();
}

/**
 * One without memory has ended, and its parent has not noticed; or its first thread alone has, on purpose, to be overlooked
 * with all the others. Nothing is lost by ending what has ended. False where it may not be.
 */
function isEndedForGood(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function poll(): boolean {
  let isBusy = false;
  for (const slot of slots) {
    if (Atomics.load(words, slot.state) !== ARMED) continue;
    isBusy = true;
    const pid = Atomics.load(words, slot.pid);
    const watched = Atomics.load(words, slot.watchedPid);
    const resident = canReadMemory && watched !== 0 ? residentBytes(slot, watched) : UNKNOWN;
    if (Atomics.load(words, slot.state) !== ARMED) continue;
    if (resident === GONE || (resident === ENDED && isEndedForGood(watched))) noteEnd(slot);
    else if (resident > (numbers[slot.rssLimit] ?? Number.POSITIVE_INFINITY)) end(slot, pid, "memory");
    else if (monotonicMs() >= (numbers[slot.deadline] ?? Number.POSITIVE_INFINITY)) end(slot, pid, "deadline");
  }
  return isBusy;
}

parentPort?.postMessage("ready");
let idlePolls = 0;
while (Atomics.load(words, CLOSED) === 0) {
  idlePolls = poll() ? 0 : idlePolls + 1;
  if (idlePolls < IDLE_POLLS) Atomics.wait(words, CLOSED, 0, POLL_MS);
  else {
    Atomics.store(words, SLEEPING, 1);
    // Look once more: a run may have been armed before the flag was up.
    if (!poll()) Atomics.wait(words, SLEEPING, 1);
    Atomics.store(words, SLEEPING, 0);
    idlePolls = 0;
  }
}
