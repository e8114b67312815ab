/**
 * Reads the tool calls of an AI message in OpenAI or LangChain form. What is malformed stays raw, for `validate` to judge and answer.
 * Must not repair, guess or drop a call; refuses only what cannot be carried at all.
 */

import { findJsonFault, isRecord, type JsonRecord } from "./json-check.ts";

/** Keys that would come to life when a checkpoint or an assignment reads them. */
export const FORBIDDEN_KEYS = ["lc", "__proto__"] as const;

/** A message that cannot be taken, and why. The only thing that the decoder throws. */
export class MessageRefusal extends Error {
  override readonly name = "MessageRefusal";
}

/** The calls of one message in the three forms that an AIMessage carries them. */
export interface DecodedCalls {
  /** Calls with parsed arguments; fields may be of any type, as they were given. */
  readonly calls: JsonRecord[];
  /** Calls whose arguments are not a JSON object. */
  readonly invalid: JsonRecord[];
  /** Calls as a provider sends them, arguments as text: what `validate` parses. */
  readonly raw: JsonRecord[];
}

/** The records of the array at `key`; empty where it is absent. */
function recordsAt(message: JsonRecord, key: string, at: string): JsonRecord[] {
  const value = message[key];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every(isRecord)) {
    throw new MessageRefusal(`${at}.${key}: expected an array of objects`);
  }
  return value;
}

function parseArguments(text: string): JsonRecord | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) && findJsonFault(parsed, FORBIDDEN_KEYS) === undefined ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function addProviderCall(call: JsonRecord, into: DecodedCalls): void {
  const given = isRecord(call.function) ? call.function : {};
  const text = typeof given.arguments === "string" ? given.arguments : JSON.stringify(given.arguments ?? null);
  const args = typeof given.arguments === "string" ? parseArguments(text) : undefined;
  into.raw.push({ id: call.id, type: "function", function: { name: given.name, arguments: text } });
  if (args) into.calls.push({ type: "tool_call", id: call.id, name: given.name, args });
  else {
    const error = "arguments are not the text of a JSON object";
    into.invalid.push({ type: "invalid_tool_call", id: call.id, name: given.name, args: text, error });
  }
}

/** The text of a streamed call, put together by its index. */
function addChunks(chunks: readonly JsonRecord[], into: DecodedCalls): void {
  const joined = new Map<unknown, { id: unknown; name: unknown; text: string }>();
  for (const chunk of chunks) {
    const key = chunk.index ?? chunk.id;
    const call = joined.get(key) ?? { id: chunk.id, name: chunk.name, text: "" };
    joined.set(key, { ...call, text: call.text + (typeof chunk.args === "string" ? chunk.args : "") });
  }
  for (const { id, name, text } of joined.values()) {
    if (into.raw.some((call) => call.id === id)) continue;
    into.raw.push({ id, type: "function", function: { name, arguments: text } });
  }
}

/** Every call that `message` makes. @throws MessageRefusal */
export function decodeCalls(message: JsonRecord, at: string): DecodedCalls {
  if (message.function_call !== undefined && message.function_call !== null) {
    throw new MessageRefusal(`${at}.function_call: not supported, use tool_calls`);
  }
  const decoded: DecodedCalls = { calls: [], invalid: [], raw: [] };
  for (const call of recordsAt(message, "tool_calls", at)) {
    if (Object.hasOwn(call, "function")) addProviderCall(call, decoded);
    else decoded.calls.push({ ...call, type: "tool_call" });
  }
  for (const call of recordsAt(message, "invalid_tool_calls", at)) {
    decoded.invalid.push({ ...call, type: "invalid_tool_call" });
  }
  const kwargs = isRecord(message.additional_kwargs) ? message.additional_kwargs : {};
  if (decoded.raw.length === 0) decoded.raw.push(...recordsAt(kwargs, "tool_calls", `${at}.additional_kwargs`));
  addChunks(recordsAt(message, "tool_call_chunks", at), decoded);
  return decoded;
}
