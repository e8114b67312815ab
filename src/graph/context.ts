/**
 * The schema of a run's `context`, as the LangGraph server and Studio show it: what may be asked for, with the deployment's
 * own values as defaults. Describes only: what is asked is checked and lowered by `resolveRunOptions`, in its own words.
 */

import { z } from "zod";
import { LIMITS } from "../limits.ts";
import type { ResolvedGraphOptions } from "../options-graph.ts";

type JsonSchema = { [key: string]: unknown };

/** Takes anything: a context may be somebody else's as well, and a wrong one is told as a fault of ours. */
function describedField(schema: JsonSchema) {
  return z.unknown().optional().meta(schema);
}

function describeLimits({ limits }: ResolvedGraphOptions): JsonSchema {
  const rows = Object.entries(limits).map(([name, value]) => {
    const { unit, min, meaning } = LIMITS[name as keyof typeof limits];
    const description = `In ${unit}: ${meaning}. At most what the deployment set.`;
    return [name, { type: "integer", minimum: min, maximum: value, default: value, description }];
  });
  return {
    type: "object",
    title: "Limits",
    description: "Limits of each call, lowered for this run.",
    properties: Object.fromEntries(rows),
    additionalProperties: false,
  };
}

export function createContextSchema(deployed: ResolvedGraphOptions, policyNames: readonly string[]) {
  const { maxTurns, endOn } = deployed;
  return z
    .object({
      maxTurns: describedField({
        type: "integer",
        title: "Turns",
        description: "Turns since the last human message that may run code. At most what the deployment set.",
        minimum: LIMITS.maxTurns.min,
        maximum: maxTurns,
        default: maxTurns,
      }),
      policy: describedField({
        type: "string",
        title: "Policy",
        description: "A further policy, which has to allow a call as well. It takes nothing of the deployment's away.",
        enum: [...policyNames],
      }),
      endOn: describedField({
        type: "string",
        title: "End on",
        description: "success: a turn whose calls are all ok ends the graph. answer: the model's words do.",
        enum: endOn === "success" ? ["success"] : ["success", "answer"],
        default: endOn,
      }),
      limits: describedField(describeLimits(deployed)),
    })
    .meta({
      description: "What one run asks for: less than the deployment allows, never more. All of it may be left out.",
    });
}
