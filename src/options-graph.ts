/**
 * Unknown options of graph, tools and middleware to complete, frozen options. The only place that gives their defaults.
 * Starts nothing and reads no policy.
 */

import { z } from "zod";
import { LIMITS } from "./limits.ts";
import { parseOptions } from "./options-check.ts";
import type { GrantStore } from "./policy/approval.ts";
import type { PolicyDocument } from "./policy/document.ts";
import type { Policy } from "./policy/evaluate.ts";
import type { PresetName } from "./policy/presets.ts";
import type { CallLimits, JsonValue, Receipt, Sandbox } from "./types.ts";

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
  /**
   * Whose calls they are, from what the deployment knows of the run, such as `config.configurable`: no worker runs programs of
   * two. Never from messages. Undefined: nobody's in particular. Default: all are of one.
   */
  tenant?: TenantOf;
}

/** What a deployment knows of a run: a part of LangChain's RunnableConfig. */
export interface RunFacts {
  readonly configurable?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A name of 1 to 200 characters, or undefined. */
export type TenantOf = (config: RunFacts) => string | undefined;

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
  readonly tenant: TenantOf | undefined;
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

const aFunction = <Given>() => z.custom<Given>((value) => typeof value === "function", "a function");

const codeShape = {
  sandbox: z.custom<Sandbox>((value) => hasFunctions(value, "execute", "inspect"), "a sandbox made by createSandbox"),
  policy: z.unknown().default("standard"),
  limits: callLimitsSchema.default({}),
  input: z.json().optional(),
  onReceipt: aFunction<(receipt: Receipt) => void>().optional(),
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
  tenant: aFunction<TenantOf>().optional(),
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
  const { sandbox, policies, ask, approvalKey, approvalTtlMs, grantStore, tenant } = parsed;
  return {
    ...completeCode(parsed),
    maxTurns: parsed.maxTurns ?? sandbox.limits.maxTurns,
    maxCallsPerTurn: parsed.maxCallsPerTurn ?? sandbox.limits.maxCallsPerTurn,
    policies,
    ask,
    approvalKey,
    approvalTtlMs,
    grantStore,
    tenant,
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
