/**
 * AI messages made again from what they hold: with some fields changed, or without the blocks that repeat their calls.
 * Touches no text; knows nothing of what a call may do.
 */

import { AIMessage, type AIMessageFields, type BaseMessage } from "@langchain/core/messages";
import { field, list } from "./fields.ts";

const CALL_BLOCKS = new Set([
  "tool_use",
  "tool_call",
  "tool_call_chunk",
  "invalid_tool_call",
  "function_call",
  "input_json_delta",
]);

/** Content in which `tool_calls` alone says what the calls are; what is text alone becomes one string. */
export function withoutCallBlocks(content: BaseMessage["content"]): BaseMessage["content"] {
  if (typeof content === "string") return content;
  const kept = list(content).filter((block) => !CALL_BLOCKS.has(String(field(block, "type"))));
  const isText = kept.every((block) => field(block, "type") === "text" && typeof field(block, "text") === "string");
  return isText ? kept.map((block) => String(field(block, "text"))).join("") : (kept as BaseMessage["content"]);
}

/** The same message, whole where it came in chunks, with `changes`. */
export function remakeMessage(message: BaseMessage, changes: Record<string, unknown>): AIMessage {
  const kept = Object.entries(message).filter(
    ([key, value]) => key !== "type" && key !== "tool_call_chunks" && !key.startsWith("lc_") && value !== undefined,
  );
  const { additional_kwargs: kwargs, ...fields } = { ...Object.fromEntries(kept), ...changes } as AIMessageFields;
  // Set afterwards: the constructor warns of raw calls that it has no parsed ones for, which is what they are kept for.
  const made = new AIMessage({ ...fields, additional_kwargs: {} } as AIMessageFields);
  made.additional_kwargs = { ...kwargs };
  return made;
}
