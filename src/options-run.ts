/**
 * What one run asks for with its `context`: the deployment's options, lowered. Gives no defaults, and raises nothing.
 * A wrong context is a fault of the caller, told before anything runs.
 */

import { z } from "zod";
import { parseOptions } from "./options-check.ts";
import { boundTurns, CALL_LIMITS, callLimitsSchema, type ResolvedGraphOptions } from "./options-graph.ts";
import type { CallLimits } from "./types.ts";

/** What a caller of the graph may lower with `context`; whatever would raise a bound is not followed. */
export interface RunOptions {
  /** Turns since the last human message. */
  maxTurns?: number;
  /** The name of a policy that the deployment offers, and that has to allow a call as well. */
  policy?: string;
  /** Only `success` changes anything: it ends sooner. */
  endOn?: "success" | "answer";
  limits?: Partial<CallLimits>;
}

const runSchema = z.object({
  maxTurns: boundTurns.optional(),
  policy: z.string().optional(),
  endOn: z.enum(["success", "answer"]).optional(),
  limits: callLimitsSchema.optional(),
});

function lowerLimits(base: Readonly<CallLimits>, asked: Partial<CallLimits> | undefined): Readonly<CallLimits> {
  if (asked === undefined) return base;
  const lowered = CALL_LIMITS.map((name) => [name, Math.min(base[name], asked[name] ?? base[name])]);
  return Object.freeze(Object.fromEntries(lowered) as unknown as CallLimits);
}

/**
 * The options of one run: the deployment's, lowered by the caller's context. `policy` is the caller's further one.
 * A context that is absent or empty changes nothing; keys that are not ours are somebody else's.
 * @throws SandboxError INVALID_OPTIONS
 */
export function resolveRunOptions(
  deployed: ResolvedGraphOptions,
  context: unknown,
): Omit<ResolvedGraphOptions, "policy"> & { readonly policy: string | undefined } {
  if (context === undefined || context === null) return { ...deployed, policy: undefined };
  const asked = parseOptions(runSchema, context, "context");
  return Object.freeze({
    ...deployed,
    policy: asked.policy,
    maxTurns: Math.min(deployed.maxTurns, asked.maxTurns ?? deployed.maxTurns),
    endOn: asked.endOn === "success" ? "success" : deployed.endOn,
    limits: lowerLimits(deployed.limits, asked.limits as Partial<CallLimits> | undefined),
  });
}
