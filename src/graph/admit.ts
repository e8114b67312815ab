/**
 * The gate of the `messages` channel: what is posted, patched or answered becomes messages that a checkpoint keeps whole.
 * Keeps the raw text of arguments that LangGraph would drop or repair; judges no call and refuses no message.
 */

import { BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { messagesStateReducer } from "@langchain/langgraph";
import { LIMITS } from "../limits.ts";
import { holdsOneProperty } from "./arguments.ts";
import { remakeMessage, withoutCallBlocks } from "./content.ts";
import { field, list, textOf } from "./fields.ts";
import { isPlainJson, keepLoadable, printPlain } from "./loadable.ts";
import { joinChunks } from "./raw-calls.ts";

/** Whether a call of that name is this graph's to answer. */
export type IsOurs = (name: unknown) => boolean;

export interface Gate {
  isOurs: IsOurs;
  /** What the raw arguments of one call may have. */
  argumentBytes: number;
}

/** Calls of a streamed message as OpenAI would have sent them whole: LangGraph drops the chunks and keeps the repair. */
function rawFromChunks(chunks: readonly unknown[]): unknown[] {
  return joinChunks(chunks).map(({ id, name, text }) => ({
    ...(id === null ? {} : { id }),
    type: "function",
    function: { name, arguments: text },
  }));
}

/** A streamed message as a whole one that still has the raw text of its arguments. */
export function keepRawText(message: BaseMessage): BaseMessage {
  const chunks = list(field(message, "tool_call_chunks"));
  if (message.getType() !== "ai" || chunks.length === 0) return message;
  const kwargs = { ...message.additional_kwargs };
  if (list(kwargs.tool_calls).length === 0) Object.assign(kwargs, { tool_calls: rawFromChunks(chunks) });
  return remakeMessage(message, { additional_kwargs: kwargs });
}

/** Calls of ours that a checkpoint would revive are kept as their text, among the invalid ones. */
function keepAsText(message: BaseMessage, isOurs: IsOurs): BaseMessage {
  if (message.getType() !== "ai") return message;
  const isHostile = (call: unknown) => isOurs(field(call, "name")) && !isPlainJson(call);
  const calls = list(field(message, "tool_calls"));
  const invalid = list(field(message, "invalid_tool_calls"));
  if (![...calls, ...invalid].some(isHostile)) return message;
  const asText = (call: unknown) => ({
    type: "invalid_tool_call",
    id: textOf(field(call, "id")),
    name: textOf(field(call, "name")),
    args: printPlain(field(call, "args")),
    error: "Not plain JSON.",
  });
  return remakeMessage(message, {
    content: withoutCallBlocks(message.content),
    tool_calls: calls.filter((call) => !isHostile(call)),
    invalid_tool_calls: [
      ...invalid.map((call) => (isHostile(call) ? asText(call) : call)),
      ...calls.filter(isHostile).map(asText),
    ],
  });
}

/** Of all calls of a message together that can be no program. */
const ODD_CHARS = 4096;
const AI_ROLES = new Set(["ai", "assistant"]);

/**
 * A plain AI message with calls in OpenAI's form, which the library would parse with an exception, whatever their size. Of ours
 * together no more is parsed than one call may have, and little of what can be no program: it is parsed to be kept as the model
 * wrote it. The others stay text, which is what a call is judged by.
 */
function readOpenAICalls(message: object, { isOurs, argumentBytes }: Gate): object {
  const role = field(message, "role") ?? field(message, "type");
  const raw = list(field(message, "tool_calls")).filter((call) => typeof field(call, "function") === "object");
  if (!AI_ROLES.has(String(role)) || raw.length === 0) return message;
  const parsed: unknown[] = [];
  const invalid: unknown[] = [];
  let bytesLeft = argumentBytes;
  let oddLeft = ODD_CHARS;
  const mayBeParsed = (text: string): boolean => {
    bytesLeft -= Buffer.byteLength(text);
    if (bytesLeft < 0) return false;
    if (holdsOneProperty(text)) return true;
    oddLeft -= text.length;
    return oddLeft >= 0;
  };
  for (const call of raw) {
    const text = textOf(field(field(call, "function"), "arguments")) ?? "";
    const named = { id: field(call, "id"), name: field(field(call, "function"), "name") };
    const keepText = (error: string) => invalid.push({ ...named, type: "invalid_tool_call", args: text, error });
    if (isOurs(named.name) && !mayBeParsed(text)) {
      keepText("Not parsed.");
      continue;
    }
    try {
      parsed.push({ ...named, type: "tool_call", args: JSON.parse(text) });
    } catch {
      keepText("Malformed arguments.");
    }
  }
  const others = list(field(message, "tool_calls")).filter((call) => !raw.includes(call));
  return {
    ...message,
    content: field(message, "content") ?? "",
    tool_calls: [...others, ...parsed],
    invalid_tool_calls: [...list(field(message, "invalid_tool_calls")), ...invalid],
    additional_kwargs: { ...(field(message, "additional_kwargs") as object | undefined), tool_calls: raw },
  };
}

function prepare(message: unknown, gate: Gate): BaseMessageLike {
  if (BaseMessage.isInstance(message)) return message;
  if (typeof message !== "object" || message === null || Array.isArray(message)) return message as BaseMessageLike;
  return readOpenAICalls(message, gate) as BaseMessageLike;
}

function admit(messages: unknown, gate: Gate): BaseMessage[] {
  const given = Array.isArray(messages) ? messages : [messages];
  return given.map((message) =>
    keepLoadable(keepAsText(keepRawText(coerceMessageLikeToMessage(prepare(message, gate))), gate.isOurs)),
  );
}

/** What a caller posts, as it is stored before the channel has it; what is no message is the channel's to refuse. */
export function admitInput(messages: unknown, gate: Gate): unknown {
  try {
    return admit(messages, gate);
  } catch {
    return messages;
  }
}

/** The channel's reducer. */
export function createAdmission(gate: Gate) {
  return (current: BaseMessage[], update: unknown): BaseMessage[] => messagesStateReducer(current, admit(update, gate));
}

/** Where it is not known what is ours. */
const STRICTEST: Gate = { isOurs: () => true, argumentBytes: LIMITS.argumentBytes.default };

/** What a node reads: a value that was forced into the channel past the reducer becomes messages, or none. */
export function readMessages(stored: unknown): BaseMessage[] {
  if (Array.isArray(stored) && stored.every((message) => BaseMessage.isInstance(message))) return stored;
  try {
    return admit(stored, STRICTEST);
  } catch {
    return [];
  }
}
