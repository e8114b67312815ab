/**
 * Observations that the graph itself makes: a call that was refused before it ran, or could not be run.
 * Words only; decides nothing, and never repeats what a host error said.
 */

import { InspectionError } from "../errors.ts";
import { reasonsToTell } from "../policy/reasons.ts";
import { failure } from "../sandbox/observation.ts";
import type { Decision, Observation } from "../types.ts";

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

const NOBODY_TO_ASK = "This call needs a person's approval, and there is nobody to ask here: it counts as denied.";

/** Why a policy does not allow a call. */
export function deniedBy({ effect, reasons }: Decision): Observation {
  // Two rules that name the same thing say the same of it.
  const told = [...new Set(reasonsToTell({ effect: "deny", reasons }).map(({ message }) => message))].join(" ");
  if (effect === "ask") return denied(`${NOBODY_TO_ASK} ${told}`.trim());
  return denied(told.length > 0 ? told : "No rule of the policy allows this call.");
}

/** Nothing can be decided about what nobody has read. */
export function notInspected(error: unknown): Observation {
  if (error instanceof InspectionError) return failure({ status: error.status, message: error.message });
  return unavailable("The program could not be inspected, so it was not run. Try again.");
}

/** `reason`: the person's words, cut like every message. */
export function approvalRejected(reason: string): Observation {
  const told = reason.trim();
  return failure({
    status: "denied",
    error: "ApprovalRejected",
    message: told === "" ? "A person looked at this call and rejected it." : `A person rejected this call: ${told}`,
  });
}

export function unavailable(message: string): Observation {
  return failure({ status: "unavailable", message });
}

export function cancelled(message: string): Observation {
  return failure({ status: "cancelled", message });
}

export function closedMeanwhile(): Observation {
  return cancelled("The sandbox was closed before the program ran.");
}

/** Of a call that a person was asked about, while the policy was changed. */
export function deniedSince({ message }: Observation): Observation {
  return denied(
    `The policy changed while a person was asked about this call, and denies it now. ${message ?? ""}`.trim(),
  );
}

const NOT_APPROVED = {
  void: "This call needs a person's approval, and has none that holds. It was not run; call again to ask again.",
  expired: "The approval of this call has expired. It was not run; call again to ask again.",
  used: "The approval of this call was used before: it counts once. It was not run; call again to ask again.",
} as const;

export function notApproved(why: keyof typeof NOT_APPROVED): Observation {
  return denied(NOT_APPROVED[why]);
}

export function notAsApproved(): Observation {
  return failure({ status: "crashed", message: "What the worker ran was not this program: its result is discarded." });
}
