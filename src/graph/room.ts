/**
 * How many supersteps LangGraph still allows in this run, so that the graph ends by itself before it is ended.
 * Reads the run's config and nothing that a caller can patch; a limit that is not told counts as none.
 */

import { field } from "./fields.ts";

/** Steps from a node, itself included, to the answers of calls that run; approve stands between where something may ask. */
const STEPS_FROM = { validate: 4, policy: 3, approve: 3, execute: 2, observe: 1 } as const;
const ASKING = { validate: 1, policy: 1, approve: 0, execute: 0, observe: 0 } as const;

export type NodeName = keyof typeof STEPS_FROM;

export function stepsFrom(node: NodeName, mayAsk: boolean): number {
  return STEPS_FROM[node] + (mayAsk ? ASKING[node] : 0);
}

/** validate, observe: what it takes to answer calls without running them. */
const STEPS_OF_REFUSALS = 2;
/** The model and all that its calls may take. */
function stepsOfATurn(mayAsk: boolean): number {
  return 1 + stepsFrom("validate", mayAsk);
}

/** LangGraph counts one step for the input, and one to notice that nothing is left to do. */
const STEPS_OF_THE_RUN = 1;

/** What `recursionLimit` has to be for so many turns, and an answer after them. */
export function neededRecursionLimit(maxTurns: number, hasModel: boolean, mayAsk: boolean): number {
  const steps = hasModel ? maxTurns * stepsOfATurn(mayAsk) + 1 + STEPS_OF_REFUSALS : stepsFrom("validate", mayAsk);
  return steps + STEPS_OF_THE_RUN;
}

function limitOf(config: unknown): number {
  const limit = field(config, "recursionLimit");
  return typeof limit === "number" ? limit : Number.POSITIVE_INFINITY;
}

/** The step that LangGraph is in; it counts on over the runs of a thread. */
export function stepOf(config: unknown): number | null {
  const step = field(field(config, "metadata"), "langgraph_step");
  return typeof step === "number" ? step : null;
}

/** Node steps that a run has, for the router at its start. */
export function roomAtStart(config: unknown): number {
  return limitOf(config) - STEPS_OF_THE_RUN;
}

/** Node steps that are left, this one included. `lastStep`: as the run's first node found it; absent where this is it. */
export function roomLeft(config: unknown, lastStep: number | null | undefined): number {
  const step = stepOf(config);
  if (step === null) return Number.POSITIVE_INFINITY;
  return typeof lastStep === "number" ? lastStep + 1 - step : limitOf(config) - STEPS_OF_THE_RUN;
}

/** Steps that the model's next message may need: after a turn that failed, only another whole turn is of use. */
export function stepsToAsk(mayOnlyAnswer: boolean, mayAsk: boolean): number {
  return mayOnlyAnswer ? 1 + STEPS_OF_REFUSALS : stepsOfATurn(mayAsk);
}
