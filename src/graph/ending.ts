/**
 * Whether a turn ends the graph, and as what. Pure: the turn, its observations and the settings in, the outcome out.
 * The cap is not kept here: the model is asked, and a call is run, only where the messages allow it.
 */

import type { Outcome, OutcomeKind } from "../types.ts";
import { stepsToAsk } from "./room.ts";
import type { Turn } from "./turn.ts";

export interface TurnEnd {
  turn: Turn;
  /** Of the calls of the turn, in their order. */
  observations: readonly { ok: boolean; status: string; error?: string | undefined }[];
  endOn: "success" | "answer";
  maxTurns: number;
  /** Steps that are left after this node. */
  roomAfter: number;
  hasModel: boolean;
  mayAsk: boolean;
}

/** Null where the model is to be asked again. */
export function findEnding({
  turn,
  observations,
  endOn,
  maxTurns,
  roomAfter,
  hasModel,
  mayAsk,
}: TurnEnd): OutcomeKind | null {
  const isOk = !turn.answeredElsewhere && observations.every((observation) => observation.ok);
  if (observations.some((observation) => observation.status === "cancelled")) return "cancelled";
  if (isOk && (endOn === "success" || !hasModel)) return "success";
  const isOverCap = turn.number > maxTurns || observations.some((observation) => observation.error === "TurnLimit");
  if (isOverCap || (turn.number === maxTurns && !isOk)) return "cap";
  if (!hasModel || turn.foreign) return "answer";
  return roomAfter >= stepsToAsk(isOk, mayAsk) ? null : "cap";
}

export function writeOutcome(kind: OutcomeKind | null, turns: number, observation: string | null): Outcome | null {
  return kind === null ? null : { kind, turns, observation };
}
