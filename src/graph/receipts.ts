/**
 * Receipts: one for each call that was answered, and the list of them in the state.
 * Holds hashes and names, never source, output, literal arguments or exception text.
 */

import { createHash } from "node:crypto";
import type { BaseMessage } from "@langchain/core/messages";
import { parseObservationText } from "../protocol/json.ts";
import type { Approval, Decision, Observation, Receipt } from "../types.ts";
import { field, list } from "./fields.ts";
import type { TurnCall } from "./turn.ts";

/** Receipts kept in the state of a thread; `onReceipt` gets every one. */
export const MAX_RECEIPTS = 100;

export interface ReceiptFacts extends Pick<TurnCall, "id" | "name" | "verdict"> {
  turn: number;
  policy: string;
  decision: Decision | null;
  approval: Approval | null;
  /** What ran in place of the call's own program. */
  edited: string | null;
  observation: Observation;
  /** Of the text that the engine was given; null where nothing ran. */
  engineSha256: string | null;
  layers: readonly string[];
}

export function writeReceipt(facts: ReceiptFacts): Receipt {
  const { verdict, decision, observation, approval, edited } = facts;
  // A worker that was ended before it could answer has told no hash, and has run all the same.
  const hasRun = facts.engineSha256 !== null || observation.usage.wallMs > 0;
  return {
    callId: facts.id,
    tool: facts.name,
    language: verdict.valid ? verdict.language : null,
    turn: facts.turn,
    sourceSha256: verdict.valid
      ? createHash("sha256")
          .update(edited ?? verdict.source)
          .digest("hex")
      : null,
    engineSha256: facts.engineSha256,
    policy: facts.policy,
    decision: decision?.effect ?? null,
    wouldBe: decision?.wouldBe?.effect ?? null,
    rules: (decision?.wouldBe ?? decision)?.reasons.map((reason) => reason.rule) ?? [],
    approval: approval === null ? null : pickApproval(approval),
    status: observation.status,
    usage: hasRun ? observation.usage : null,
    layers: hasRun ? [...facts.layers] : [],
  };
}

/** A grant is an approval and more: its proof is no part of a receipt. */
function pickApproval({ answer, approver, tamperEvident }: Approval): Approval {
  return { answer, approver, tamperEvident };
}

/**
 * Stored receipts that the messages bear out: there is a tool message for that id, with that status.
 * What was forced into the state does not last.
 */
export function keepBorneOut(stored: unknown, messages: readonly BaseMessage[]): Receipt[] {
  const answered = new Set(
    messages
      .filter((message) => message.getType() === "tool")
      .map((message) => pair(field(message, "tool_call_id"), parseObservationText(message.content)?.status)),
  );
  return list(stored).filter((receipt): receipt is Receipt =>
    answered.has(pair(field(receipt, "callId"), field(receipt, "status"))),
  );
}

function pair(id: unknown, status: unknown): string {
  return JSON.stringify([String(id), String(status)]);
}
