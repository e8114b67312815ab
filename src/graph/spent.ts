/**
 * What the runs of a thread have used: for rules that hold a thread to a budget.
 * A budget only shrinks: of what the state, the receipts and the messages say, the most counts.
 */

import type { BaseMessage } from "@langchain/core/messages";
import { parseObservationText } from "../protocol/json.ts";
import type { Receipt } from "../types.ts";
import { field, list } from "./fields.ts";

export interface Spent {
  runs: number;
  timeMs: number;
}

export const NOTHING_SPENT: Spent = Object.freeze({ runs: 0, timeMs: 0 });

/** Ends of calls that never came to a run. */
const NOT_RUN = new Set(["rejected", "denied", "queue_timeout", "cancelled", "unavailable"]);

function countRuns(messages: readonly BaseMessage[]): number {
  return messages.filter((message) => {
    const told = message.getType() === "tool" ? parseObservationText(message.content) : null;
    return told !== null && !NOT_RUN.has(told.status);
  }).length;
}

function amount(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}

function ofReceipts(receipts: readonly unknown[]): Spent {
  const times = receipts.flatMap((receipt) => field(field(receipt, "usage"), "wallMs") ?? []);
  return { runs: times.length, timeMs: times.map(amount).reduce((sum, time) => sum + time, 0) };
}

export function readSpent(state: { spent?: unknown; receipts?: unknown }, messages: readonly BaseMessage[]): Spent {
  const told = ofReceipts(list(state.receipts));
  return {
    runs: Math.max(amount(field(state.spent, "runs")), told.runs, countRuns(messages)),
    timeMs: Math.max(amount(field(state.spent, "timeMs")), told.timeMs),
  };
}

export function addSpent({ runs, timeMs }: Spent, receipts: readonly Receipt[]): Spent {
  const more = ofReceipts(receipts);
  return { runs: runs + more.runs, timeMs: timeMs + more.timeMs };
}
