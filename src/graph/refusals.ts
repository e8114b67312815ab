/**
 * Observations that the graph itself makes: a call that was refused before it ran, or could not be run.
 * Words only; decides nothing, and never repeats what a host error said.
 */

import { failure } from "../sandbox/observation.ts";
import type { Observation } from "../types.ts";

export type RejectionError =
  | "InvalidArguments"
  | "ToolNotAllowed"
  | "DuplicateCall"
  | "TruncatedCall"
  | "TurnLimit"
  | "TooManyCalls";

export function rejected(error: RejectionError, message: string): Observation {
  return failure({ status: "rejected", error, message });
}

export function denied(message: string): Observation {
  return failure({ status: "denied", error: "PolicyDenied", message });
}

export function unavailable(message: string): Observation {
  return failure({ status: "unavailable", message });
}

export function cancelled(message: string): Observation {
  return failure({ status: "cancelled", message });
}
