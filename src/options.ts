/**
 * Unknown options of a sandbox to complete, frozen options. The only place that gives their defaults.
 * Starts nothing: a wrong option is a fault before any worker exists.
 */

import { availableParallelism } from "node:os";
import { z } from "zod";
import { SandboxError } from "./errors.ts";
import { LIMITS, type LimitName, type LimitRow } from "./limits.ts";
import { parseOptions } from "./options-check.ts";
import { LAUNCHERS } from "./sandbox/launchers/registry.ts";
import type { CallLimits } from "./types.ts";

/** What workers may run inside: the launchers, and `auto`. */
export type Containment = "auto" | (typeof LAUNCHERS)[number]["name"];

/** What `createSandbox` takes. Every field may be left out. */
export interface SandboxOptions {
  /** What workers run inside. Default `auto`: the strongest that can run here, in the order container, bubblewrap, process. */
  containment?: Containment;
  /** Whether `auto` may end at `process` in production (NODE_ENV=production). Default false. */
  allowProcess?: boolean;
  /** Layers of the report without which no sandbox is made, for example `["network"]`. Default none. */
  require?: string[];
  /** Runs at the same time. Default: the number of cores. */
  workers?: number;
  /** Ready workers beyond `workers`, for the next run after a kill. Default 1; where a worker has one run, as many as `workers`. */
  standby?: number;
  /** Python: workers (default: cores, at most 2); interpreters that each holds ready, 110 MiB apiece (default 2). */
  python?: { workers?: number; prepared?: number };
  /** Runs after which a worker is replaced; 1 is a process per run. Default 5,000: a start costs as much as some 200 runs. */
  runsPerWorker?: number;
  /**
   * Workers without V8's compilers (`--jitless`), one run each, and never without containment. Default false.
   * Programs compute several times slower, and WebAssembly is not there: JavaScript and TypeScript only.
   */
  hardened?: boolean;
  /** Longest start of a worker, in milliseconds; Python's takes one or two seconds where nothing else runs. Default 30,000. */
  startTimeoutMs?: number;
  /** Path of the Node that workers run on (24 or newer). Default: the `node` package, else the host's own. */
  workerNode?: string;
  /** Environment of the workers beyond TZ, LC_ALL and, for Python, GLIBC_TUNABLES. Default empty; names that look like secrets are refused. */
  workerEnv?: Record<string, string>;
  /** Limits for every call, within the bounds of the table. */
  limits?: Partial<Record<LimitName, number>>;
}

export interface ResolvedSandboxOptions {
  readonly containment: Containment;
  readonly allowProcess: boolean;
  readonly require: readonly string[];
  readonly workers: number;
  readonly standby: number;
  readonly python: Readonly<{ workers: number; prepared: number }>;
  readonly runsPerWorker: number;
  readonly hardened: boolean;
  readonly startTimeoutMs: number;
  readonly workerNode: string | null;
  readonly workerEnv: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<LimitName, number>>;
}

const SECRET_NAME = /key|token|secret|password|passwd|credential|auth|cookie|private/i;
/** Variables that a loader, Node or ICU obeys: with them a defence could be switched off. */
const OBEYED_NAME = /^(TZ|LC_.*|LANG|NODE_.*|LD_.*|DYLD_.*|UV_.*|GLIBC_.*|MALLOC_.*|OPENSSL_.*|SSL_.*)$/i;

function limitSchema(row: LimitRow) {
  return z.int().min(row.min).max(row.max).default(row.default);
}

const limitsShape = Object.fromEntries(Object.entries(LIMITS).map(([name, row]) => [name, limitSchema(row)])) as {
  [Name in LimitName]: ReturnType<typeof limitSchema>;
};

const MAX_STANDBY = 16;

const sandboxSchema = z.strictObject({
  containment: z.enum(["auto", ...LAUNCHERS.map(({ name }) => name)]).default("auto"),
  allowProcess: z.boolean().default(false),
  require: z.array(z.string().min(1)).max(64).default([]),
  workers: z.int().min(1).max(256).default(availableParallelism()),
  standby: z.int().min(0).max(MAX_STANDBY).optional(),
  runsPerWorker: z.int().min(1).max(1_000_000).optional(),
  hardened: z.boolean().default(false),
  python: z
    .strictObject({
      workers: z.int().min(1).max(256).default(Math.min(2, availableParallelism())),
      prepared: z.int().min(1).max(8).default(2),
    })
    .prefault({}),
  startTimeoutMs: z.int().min(100).max(120_000).default(30_000),
  workerNode: z.string().min(1).nullable().default(null),
  workerEnv: z
    .record(
      z
        .string()
        .refine((name) => !SECRET_NAME.test(name), "a name that does not look like a secret")
        .refine((name) => !OBEYED_NAME.test(name), "a name that no loader and no runtime obeys"),
      z.string(),
    )
    .default({}),
  limits: z.strictObject(limitsShape).prefault({}),
});

/** @throws SandboxError INVALID_OPTIONS */
export function resolveSandboxOptions(options: SandboxOptions | undefined): ResolvedSandboxOptions {
  const parsed = parseOptions(sandboxSchema, options, "createSandbox");
  const { hardened, workers } = parsed;
  if (hardened && (parsed.runsPerWorker ?? 1) !== 1) {
    const given = `got ${parsed.runsPerWorker}`;
    throw new SandboxError("INVALID_OPTIONS", `createSandbox: runsPerWorker: expected 1 with hardened, ${given}`);
  }
  const runsPerWorker = parsed.runsPerWorker ?? (hardened ? 1 : 5000);
  return Object.freeze({
    ...parsed,
    python: Object.freeze(parsed.python),
    runsPerWorker,
    standby: parsed.standby ?? (runsPerWorker === 1 ? Math.min(workers, MAX_STANDBY) : 1),
    workerEnv: Object.freeze(parsed.workerEnv),
    limits: Object.freeze(parsed.limits),
  });
}
