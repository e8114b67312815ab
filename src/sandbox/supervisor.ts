/**
 * The caller's side of the supervisor thread: arms and disarms the deadline and memory limit of a worker, and records
 * why a worker was ended. Arming is a write to shared memory: it needs no turn of any event loop.
 */

import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { SandboxError } from "../errors.ts";
import {
  ARMED,
  CAUSES,
  type Cause,
  CLOSED,
  createSharedMemory,
  FREE,
  monotonicMs,
  openSharedMemory,
  SLEEPING,
  slotAt,
} from "./supervisor-memory.ts";

/** One worker's slot. */
export interface Watch {
  /** From now on the worker is ended at `deadlineMs` of the monotonic clock, or above `rssBytes`. */
  arm(deadlineMs: number, rssBytes: number): void;
  disarm(): void;
  /** The worker is another process than the command: its memory counts. It ends with the command, or is ended itself. */
  follow(workerPid: number, isEnded: "with its command" | "itself"): void;
  /** Records why the worker is ended; false where another cause came first, or it had ended by itself. */
  claim(cause: Exclude<Cause, "none" | "deadline" | "memory">): boolean;
  cause(): Cause;
  /** When the supervisor ended the worker or saw that it had ended, on the monotonic clock; 0 where it did neither. */
  endedAtMs(): number;
  release(): void;
}

export interface Supervisor {
  /** Resolves when the thread keeps watch. @throws SandboxError ENGINE_UNAVAILABLE where it cannot start. */
  readonly whenReady: Promise<void>;
  /** @param undertaker who ends the worker where ending `pid` does not */
  watch(pid: number, undertaker?: { fd: number; serial: number }): Watch;
  close(): Promise<void>;
}

/** As the thread would, from here. */
function endWatched(words: Int32Array, at: ReturnType<typeof slotAt>): void {
  const tries = [
    () => process.kill(Atomics.load(words, at.pid), "SIGKILL"),
    () => {
      const serial = Atomics.load(words, at.serial);
      if (serial > 0) writeSync(Atomics.load(words, at.undertakerFd), `kill ${serial}\n`);
    },
  ];
  for (const end of tries) {
    try {
      end();
    } catch {
      // It has ended by itself, or is another user's: then the other way is the one.
    }
  }
}

/** @param capacity how many workers may be watched at once */
export function createSupervisor(capacity: number): Supervisor {
  const memory = createSharedMemory(capacity);
  const { words, numbers } = openSharedMemory(memory, capacity);
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  const thread = new Worker(new URL(`./supervisor-thread${extension}`, import.meta.url), {
    workerData: { memory, count: capacity },
    execArgv: [],
    env: {},
    name: "sallyport-supervisor",
  });
  const whenReady = new Promise<void>((resolve, reject) => {
    thread.once("message", () => {
      thread.unref();
      resolve();
    });
    thread.once("error", (cause) => {
      const message = `The supervisor thread cannot start, and without it no limit would hold: ${cause.message}`;
      reject(new SandboxError("ENGINE_UNAVAILABLE", message, { cause }));
    });
  });
  whenReady.catch(() => {});
  const free = Array.from({ length: capacity }, (_, slot) => slot);
  const watched = new Set<ReturnType<typeof slotAt>>();
  let hasEnded = false;
  let closing: Promise<void> | null = null;
  thread.once("exit", () => {
    hasEnded = true;
    // Nobody watches them any more, and nothing may run that nobody watches.
    if (closing === null) for (const at of watched) endWatched(words, at);
  });

  const wake = (): void => {
    if (Atomics.exchange(words, SLEEPING, 0) === 1) Atomics.notify(words, SLEEPING);
  };

  return {
    whenReady,
    watch(pid, undertaker) {
      if (hasEnded)
        throw new SandboxError("ENGINE_UNAVAILABLE", "The supervisor thread has ended: no limit would hold.");
      const slot = free.shift();
      if (slot === undefined)
        throw new SandboxError("ENGINE_UNAVAILABLE", "More workers than the supervisor can watch.");
      const at = slotAt(slot);
      watched.add(at);
      let isReleased = false;
      Atomics.add(words, at.turn, 1);
      Atomics.store(words, at.pid, pid);
      Atomics.store(words, at.cause, 0);
      // Until the worker is found, the one who is watched is nobody: ending the command alone is then not enough.
      Atomics.store(words, at.watchedPid, undertaker === undefined ? pid : 0);
      Atomics.store(words, at.undertakerFd, undertaker?.fd ?? -1);
      Atomics.store(words, at.serial, undertaker?.serial ?? 0);
      numbers[at.endedAt] = 0;
      const cause = (): Cause => CAUSES[Atomics.load(words, at.cause)] ?? "none";
      let final: { cause: Cause; endedAtMs: number } | null = null;
      return {
        arm(deadlineMs, rssBytes) {
          if (isReleased) return;
          numbers[at.deadline] = deadlineMs;
          numbers[at.rssLimit] = rssBytes;
          Atomics.store(words, at.state, ARMED);
          wake();
        },
        disarm: () => void (isReleased || Atomics.store(words, at.state, FREE)),
        follow(workerPid, isEnded) {
          if (isReleased) return;
          Atomics.store(words, at.watchedPid, workerPid);
          if (isEnded === "itself") Atomics.store(words, at.pid, workerPid);
        },
        claim(reason) {
          if (isReleased || numbers[at.endedAt] !== 0) return false;
          return Atomics.compareExchange(words, at.cause, 0, CAUSES.indexOf(reason)) === 0 && stamp(at.endedAt);
        },
        cause: () => final?.cause ?? cause(),
        endedAtMs: () => final?.endedAtMs ?? numbers[at.endedAt] ?? 0,
        release() {
          if (isReleased) return;
          isReleased = true;
          final = { cause: cause(), endedAtMs: numbers[at.endedAt] ?? 0 };
          Atomics.store(words, at.state, FREE);
          watched.delete(at);
          free.push(slot);
        },
      };
    },
    close() {
      closing ??= (async () => {
        Atomics.store(words, CLOSED, 1);
        Atomics.notify(words, CLOSED);
        wake();
        await thread.terminate();
      })();
      return closing;
    },
  };

  function stamp(index: number): true {
    numbers[index] = monotonicMs();
    return true;
  }
}
