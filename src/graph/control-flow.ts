/**
 * Tells what must pass from what may become an observation: LangGraph's control flow, aborts and faults of the operator.
 * Decides only; whoever catches an error asks here first.
 */

import { isGraphBubbleUp } from "@langchain/langgraph";
import { SandboxError } from "../errors.ts";
import { field } from "./fields.ts";

export function mustPass(error: unknown, signal: AbortSignal | undefined): boolean {
  if (error instanceof SandboxError || isGraphBubbleUp(error) || field(error, "lg_name") === "Command") return true;
  return signal?.aborted === true || field(error, "name") === "AbortError";
}
