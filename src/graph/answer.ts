/**
 * Whether an answer counts for the question that is put now, and what is said of one that does not.
 * Decides about the answer as a whole; what it says of each call is the approve node's to take.
 */

import { createHash } from "node:crypto";
import { type Asked, type Reply, readReplies } from "./replies.ts";

const UNPROVEN =
  "This process cannot tell that the calls are those that were shown before: look again, and answer again with the token.";

const REPEATED =
  "The same answer was given to the question before: repeat it with the token of this one, if it is meant.";

/** What a person is told whose question has outlived the terms that it was put under. */
export const CHANGED =
  "The policy, the limits or the input changed after this was asked, so no answer to it counts: look again, and answer this one.";

export interface Put extends Asked {
  /** The last answer that could be read. LangGraph hands it to the next question where a parent's run is merely continued. */
  heard: string | null;
  /** True where the question that waited was put under other terms. */
  hasChanged: boolean;
  /** Whether an answer that names no token can be one to this very question. */
  wasPut(): boolean;
}

export type Taking =
  | { taken: true; replies: Reply[]; heard: string }
  | { taken: false; problem: string; heard: string | null };

export function readAnswer(answer: unknown, put: Put): Taking {
  const reading = readReplies(answer, put);
  const refuse = (problem: string, heard: string | null): Taking => ({
    taken: false,
    problem: put.hasChanged ? CHANGED : problem,
    heard,
  });
  if (!reading.ok) return refuse(reading.problem, put.heard);
  const heard = createHash("sha256").update(JSON.stringify(reading.replies)).digest("base64url");
  const { replies } = reading;
  if (reading.token !== null) return { taken: true, replies, heard };
  if (heard === put.heard) return refuse(REPEATED, heard);
  return put.wasPut() ? { taken: true, replies, heard } : refuse(UNPROVEN, heard);
}
