/**
 * Unknown options to complete, frozen options. The only place that gives defaults.
 * Starts nothing: a wrong option is a fault before any worker exists.
 */

import { availableParallelism } from "node:os";
import { z } from "zod";
import { SandboxError } from "./errors.ts";
import { LIMITS, type LimitName, type LimitRow } from "./limits.ts";
import { parseOptions } from "./options-check.ts";
import type { GrantStore } from "./policy/approval.ts";
import type { PolicyDocument } from "./policy/document.ts";
import type { Policy } from "./policy/evaluate.ts";
import type { PresetName } from "./policy/presets.ts";
import { LAUNCHERS } from "./sandbox/launchers/registry.ts";
import type { CallLimits, JsonValue, Receipt, Sandbox } from "./types.ts";

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
  /** Environment of the workers beyond TZ and LC_ALL. Default empty; names that look like secrets are refused. */
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
const OBEYED_NAME = /^(TZ|LC_.*|LANG|NODE_.*|LD_.*|DYLD_.*|UV_.*|OPENSSL_.*|SSL_.*)$/i;

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

/** What the graph and the tools share. */
export interface CodeOptions {
  sandbox: Sandbox;
  /** A preset's name, a policy document, or a policy of `definePolicy`. Default `standard`. */
  policy?: PresetName | PolicyDocument | Policy;
  /** Limits of every call. Default: the sandbox's. */
  limits?: Partial<CallLimits>;
  /** JSON that every program finds as `input`. */
  input?: JsonValue;
  /** Called with each receipt as it is written: the complete record, where the graph's state keeps the last ones. */
  onReceipt?: (receipt: Receipt) => void;
}

/** What bounds the calls of one conversation, and who may approve them: the same for graph, tools and middleware. */
export interface BoundOptions extends CodeOptions {
  /** Turns since the last human message that may run code. Default 3. */
  maxTurns?: number;
  /** Calls of one message that may run. Default 8. */
  maxCallsPerTurn?: number;
  /** Policies that a caller's context may add by their names. Default: the presets. None: an empty list. */
  policies?: readonly NonNullable<CodeOptions["policy"]>[];
  /** What the policy denies and a person is to be asked about instead: keys of `when` or ids of rules. Default none. */
  ask?: readonly string[];
  /** Operator's secret, at least 32 characters, from which approvals are MAC'd. Without it they hold in this process only. */
  approvalKey?: string | Uint8Array;
  /** Milliseconds from an approval to its use, after which it counts for nothing. Default 300,000. */
  approvalTtlMs?: number;
  /** Remembers used grants beyond this process. Default: the process remembers its own. */
  grantStore?: GrantStore;
}

export interface ResolvedCodeOptions {
  readonly sandbox: Sandbox;
  readonly policy: unknown;
  readonly limits: Readonly<CallLimits>;
  readonly input: JsonValue | undefined;
  readonly onReceipt: ((receipt: Receipt) => void) | undefined;
}

/** What bounds one run of the graph; `resolveRunOptions` of options-run.ts lowers it for a caller. */
export interface ResolvedGraphOptions extends ResolvedCodeOptions {
  readonly policies: readonly unknown[];
  readonly maxTurns: number;
  readonly maxCallsPerTurn: number;
  readonly endOn: "success" | "answer";
  readonly unknownTools: "reject" | "leave";
  readonly name: string;
  readonly ask: readonly string[];
  readonly tellRules: boolean;
  readonly approvalKey: string | Uint8Array | undefined;
  readonly approvalTtlMs: number;
  readonly grantStore: GrantStore | undefined;
}

function hasFunctions(value: unknown, ...names: string[]): boolean {
  return (
    typeof value === "object" && value !== null && names.every((name) => typeof Reflect.get(value, name) === "function")
  );
}

export const callLimitsSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(LIMITS)
      .filter(([, row]) => row.scope === "call")
      .map(([name, row]) => [name, z.int().min(row.min).max(row.max).optional()]),
  ) as { [Name in keyof CallLimits]: z.ZodOptional<z.ZodInt> },
);

const codeShape = {
  sandbox: z.custom<Sandbox>((value) => hasFunctions(value, "execute", "inspect"), "a sandbox made by createSandbox"),
  policy: z.unknown().default("standard"),
  limits: callLimitsSchema.default({}),
  input: z.json().optional(),
  onReceipt: z.custom<(receipt: Receipt) => void>((value) => typeof value === "function", "a function").optional(),
};

const MIN_KEY_LENGTH = 32;

export const boundTurns = z.int().min(LIMITS.maxTurns.min).max(LIMITS.maxTurns.max);

const boundsShape = {
  maxTurns: boundTurns.optional(),
  maxCallsPerTurn: z.int().min(LIMITS.maxCallsPerTurn.min).max(LIMITS.maxCallsPerTurn.max).optional(),
  policies: z.array(z.unknown()).default(["strict", "standard", "allow-all"]),
  ask: z.array(z.string().min(1)).default([]),
  approvalKey: z
    .custom<string | Uint8Array>(
      (value) => (typeof value === "string" || value instanceof Uint8Array) && value.length >= MIN_KEY_LENGTH,
      `a secret of at least ${MIN_KEY_LENGTH} characters or bytes`,
    )
    .optional(),
  approvalTtlMs: z.int().min(1000).max(86_400_000).default(300_000),
  grantStore: z.custom<GrantStore>((value) => hasFunctions(value, "use"), "an object with a method use").optional(),
};

const graphSchema = z.strictObject({
  ...codeShape,
  ...boundsShape,
  model: z
    .custom(
      (value) => typeof value === "function" || hasFunctions(value, "invoke", "bindTools"),
      "a chat model with bindTools",
    )
    .optional(),
  endOn: z.enum(["success", "answer"]).default("success"),
  unknownTools: z.enum(["reject", "leave"]).default("reject"),
  systemMessage: z
    .union([z.string(), z.custom((value) => hasFunctions(value, "getType"))], "a string or a SystemMessage")
    .optional(),
  checkpointer: z
    .union([z.boolean(), z.custom((value) => hasFunctions(value, "getTuple", "put"))], "a checkpointer or a boolean")
    .optional(),
  name: z.string().min(1).max(64).default("sallyport"),
  tellRules: z.boolean().default(false),
});

const codeSchema = z.strictObject(codeShape);
const toolSchema = z.strictObject({ ...codeShape, ...boundsShape });
const middlewareSchema = toolSchema.extend({ endOn: z.enum(["success", "answer"]).default("answer") });

export const CALL_LIMITS = Object.entries(LIMITS).flatMap(([name, row]) =>
  row.scope === "call" ? [name as keyof CallLimits] : [],
);

function completeCode(parsed: z.output<typeof codeSchema>): ResolvedCodeOptions {
  const { sandbox, policy, input, onReceipt } = parsed;
  const limits = CALL_LIMITS.map((name) => [name, parsed.limits[name] ?? sandbox.limits[name]]);
  return {
    sandbox,
    policy,
    input,
    onReceipt,
    limits: Object.freeze(Object.fromEntries(limits) as unknown as CallLimits),
  };
}

function completeBounds(parsed: z.output<typeof toolSchema>) {
  const { sandbox, policies, ask, approvalKey, approvalTtlMs, grantStore } = parsed;
  return {
    ...completeCode(parsed),
    maxTurns: parsed.maxTurns ?? sandbox.limits.maxTurns,
    maxCallsPerTurn: parsed.maxCallsPerTurn ?? sandbox.limits.maxCallsPerTurn,
    policies,
    ask,
    approvalKey,
    approvalTtlMs,
    grantStore,
  };
}

/** What tools and middleware have of a graph: calls that are not theirs are the agent's. */
const GUEST = { unknownTools: "leave", name: "sallyport", tellRules: false } as const;

/** @throws SandboxError INVALID_OPTIONS */
export function resolveToolOptions(options: unknown): ResolvedGraphOptions {
  const parsed = parseOptions(toolSchema, options, "createCodeTools");
  return Object.freeze({ ...completeBounds(parsed), ...GUEST, endOn: "answer" as const });
}

/** @throws SandboxError INVALID_OPTIONS */
export function resolveMiddlewareOptions(options: unknown): ResolvedGraphOptions {
  const parsed = parseOptions(middlewareSchema, options, "codeExecutionMiddleware");
  return Object.freeze({ ...completeBounds(parsed), ...GUEST, endOn: parsed.endOn });
}

/** @throws SandboxError INVALID_OPTIONS */
export function resolveGraphOptions(options: unknown): ResolvedGraphOptions {
  const parsed = parseOptions(graphSchema, options, "createCodeExecutionGraph");
  const { endOn, unknownTools, name, tellRules } = parsed;
  return Object.freeze({ ...completeBounds(parsed), endOn, unknownTools, name, tellRules });
}
