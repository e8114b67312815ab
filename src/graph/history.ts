/**
 * The messages as a provider takes them: every call answered right behind its message, no answer without a call.
 * For the prompt only: a run that was aborted may have left calls open, and the state keeps what happened.
 */

import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { observationText } from "../protocol/json.ts";
import { findAnswers } from "./answers.ts";
import { remakeMessage } from "./content.ts";
import { field, list } from "./fields.ts";
import { cancelled } from "./refusals.ts";

const NOT_FINISHED = observationText(cancelled("This call was not finished; it has no result."));

function readIds(message: BaseMessage): string[] {
  const ids = list(field(message, "tool_calls")).map((call) => field(call, "id"));
  return [...new Set(ids.filter((id) => typeof id === "string"))];
}

/** Without raw calls that no parsed call stands for: they would be sent and could not be answered. */
function withoutStrayCalls(message: BaseMessage): BaseMessage {
  const isStray =
    list(field(message, "tool_calls")).length === 0 && field(message.additional_kwargs, "tool_calls") != null;
  if (message.getType() !== "ai" || !isStray) return message;
  const { tool_calls: _stray, ...kwargs } = message.additional_kwargs;
  return remakeMessage(message, { additional_kwargs: kwargs });
}

export function completeHistory(messages: readonly BaseMessage[]): BaseMessage[] {
  return messages.flatMap((message, position) => {
    if (message.getType() === "tool") return [];
    if (message.getType() !== "ai") return [message];
    const answers = findAnswers(messages, position);
    const replies = readIds(message).map(
      (id) => answers.get(id) ?? new ToolMessage({ content: NOT_FINISHED, tool_call_id: id, status: "error" }),
    );
    return [withoutStrayCalls(message), ...replies];
  });
}
