/**
 * The limits table: every number that bounds a call, with unit, default, bounds and enforcer.
 * The one place where a limit is written down; options, README and policy read it from here.
 */

export interface LimitRow {
  readonly unit: "ms" | "MiB" | "characters" | "bytes" | "count";
  readonly default: number;
  readonly min: number;
  readonly max: number;
  /** `call`: set for one call. `pool`: set when the sandbox is made. `graph`: set when the graph is made. */
  readonly scope: "call" | "pool" | "graph";
  readonly enforcedBy: string;
  readonly meaning: string;
}

const KIB = 1024;

export const LIMITS = {
  timeoutMs: {
    unit: "ms",
    default: 1000,
    min: 1,
    max: 60_000,
    scope: "call",
    enforcedBy: "isolate, then supervisor",
    meaning: "real time from the worker's acknowledgement to the answer",
  },
  memoryMb: {
    unit: "MiB",
    default: 64,
    min: 8,
    max: 1024,
    scope: "call",
    enforcedBy: "isolate, then watchdog",
    meaning: "heap of the isolate; in Python, memory beyond a fresh interpreter's",
  },
  sourceChars: {
    unit: "characters",
    default: 4000,
    min: 1,
    max: 1_000_000,
    scope: "call",
    enforcedBy: "validate, sandbox",
    meaning: "length of the program",
  },
  argumentBytes: {
    unit: "bytes",
    default: 64 * KIB,
    min: 16,
    max: 4096 * KIB,
    scope: "call",
    enforcedBy: "validate",
    meaning: "raw arguments of a tool call, before they are parsed",
  },
  inputBytes: {
    unit: "bytes",
    default: 256 * KIB,
    min: 2,
    max: 8192 * KIB,
    scope: "call",
    enforcedBy: "sandbox",
    meaning: "`input` as JSON",
  },
  stdoutBytes: {
    unit: "bytes",
    default: 16 * KIB,
    min: 0,
    max: 1024 * KIB,
    scope: "call",
    enforcedBy: "isolate, then protocol",
    meaning: "printed text; at most 1,000 lines",
  },
  resultBytes: {
    unit: "bytes",
    default: 64 * KIB,
    min: 4,
    max: 4096 * KIB,
    scope: "call",
    enforcedBy: "isolate, then protocol",
    meaning: "value of the run as JSON",
  },
  timerTurns: {
    unit: "count",
    default: 10_000,
    min: 1,
    max: 50_000,
    scope: "call",
    enforcedBy: "worker",
    meaning: "timer callbacks in one run",
  },
  killGraceMs: {
    unit: "ms",
    default: 250,
    min: 10,
    max: 5000,
    scope: "pool",
    enforcedBy: "supervisor",
    meaning: "from the timeout to SIGKILL",
  },
  queueTimeoutMs: {
    unit: "ms",
    default: 10_000,
    min: 0,
    max: 600_000,
    scope: "pool",
    enforcedBy: "pool",
    meaning: "longest wait for a free worker",
  },
  maxQueue: {
    unit: "count",
    default: 1000,
    min: 0,
    max: 100_000,
    scope: "pool",
    enforcedBy: "pool",
    meaning: "calls that may wait",
  },
  maxTurns: {
    unit: "count",
    default: 3,
    min: 1,
    max: 100,
    scope: "graph",
    enforcedBy: "graph",
    meaning: "turns since the last human message",
  },
  maxCallsPerTurn: {
    unit: "count",
    default: 8,
    min: 1,
    max: 64,
    scope: "graph",
    enforcedBy: "validate",
    meaning: "tool calls in one AI message",
  },
} as const satisfies Record<string, LimitRow>;

export type LimitName = keyof typeof LIMITS;

/** The default of every limit, by name. */
export const DEFAULT_LIMITS: Readonly<Record<LimitName, number>> = Object.freeze(
  Object.fromEntries(Object.entries(LIMITS).map(([name, row]) => [name, row.default])) as Record<LimitName, number>,
);

/** Printed lines kept of one run, whatever their size. */
export const MAX_STDOUT_LINES = 1000;

/** Parts of unfinished lines that one run may tell: more than a guest of ours makes of the largest `stdoutBytes`. */
export const MAX_STDOUT_PARTS = 65_536;

/** Longest `message` of an observation, in characters. */
export const MAX_MESSAGE_CHARS = 200;

/** The same of a policy's refusal: the operator's own text, which may have to say what is allowed instead. */
export const MAX_REFUSAL_CHARS = 1000;
