/**
 * The memory that the caller's thread and the supervisor thread share: one slot a worker, plain numbers.
 * Layout only; both sides import it, so that it stands in one place.
 */

/** What is going on in a slot. */
export const FREE = 0;
export const ARMED = 1;

/** Why a worker was ended. The first to be written stays. */
export const CAUSES = ["none", "deadline", "memory", "cancelled", "discarded"] as const;
export type Cause = (typeof CAUSES)[number];

/** Control words: whether the thread sleeps, and whether it should end. */
export const SLEEPING = 0;
export const CLOSED = 1;
const CONTROL_WORDS = 4;

const WORDS_PER_SLOT = 7;
const STATE = 0;
const PID = 1;
const CAUSE = 2;
const WATCHED_PID = 3;
const UNDERTAKER_FD = 4;
const SERIAL = 5;
const TURN = 6;

const NUMBERS_PER_SLOT = 3;
const DEADLINE = 0;
const RSS_LIMIT = 1;
const ENDED_AT = 2;

export interface SharedSlots {
  readonly count: number;
  readonly words: Int32Array;
  readonly numbers: Float64Array;
}

export function createSharedMemory(count: number): SharedArrayBuffer {
  return new SharedArrayBuffer(count * NUMBERS_PER_SLOT * 8 + (CONTROL_WORDS + count * WORDS_PER_SLOT) * 4);
}

export function openSharedMemory(memory: SharedArrayBuffer, count: number): SharedSlots {
  const numbers = new Float64Array(memory, 0, count * NUMBERS_PER_SLOT);
  const words = new Int32Array(memory, numbers.byteLength);
  return { count, words, numbers };
}

/** Indexes of one slot's words and numbers. */
export function slotAt(slot: number) {
  const word = CONTROL_WORDS + slot * WORDS_PER_SLOT;
  const number = slot * NUMBERS_PER_SLOT;
  return {
    state: word + STATE,
    pid: word + PID,
    cause: word + CAUSE,
    /** Whose memory counts: mostly the process that `pid` ends, else one that ends with it. */
    watchedPid: word + WATCHED_PID,
    /** Where to write the number of a worker that `pid` does not end; serial is 0 where `pid` does. */
    undertakerFd: word + UNDERTAKER_FD,
    serial: word + SERIAL,
    /** Counts the workers that the slot has had: the pid of one may be that of another before it. */
    turn: word + TURN,
    deadline: number + DEADLINE,
    rssLimit: number + RSS_LIMIT,
    endedAt: number + ENDED_AT,
  };
}

/** Milliseconds of a clock that never goes back and is the same in every thread. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
