/**
 * Which tool messages answer which AI message: those between it and the next one, by call id.
 * By place and id together, because some providers count their ids from one again in every message.
 */

import type { BaseMessage } from "@langchain/core/messages";
import { field } from "./fields.ts";

export type Answers = ReadonlyMap<string, BaseMessage>;

/** The answers to the message at `position`; the first one where an id is answered twice. */
export function findAnswers(messages: readonly BaseMessage[], position: number): Answers {
  const answers = new Map<string, BaseMessage>();
  for (let index = position + 1; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined || message.getType() === "ai") break;
    const id = field(message, "tool_call_id");
    if (message.getType() === "tool" && typeof id === "string" && !answers.has(id)) answers.set(id, message);
  }
  return answers;
}
