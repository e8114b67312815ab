/**
 * Turns messages that a stranger wrote, in OpenAI or LangChain form, into LangChain's classes, whatever the JSON.
 * Throws nothing but MessageRefusal. Builds classes by hand: LangChain's own coercion throws on malformed arguments
 * and revives serialised objects.
 */

import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { findJsonFault, isRecord, type JsonRecord } from "./json-check.ts";
import { decodeCalls, FORBIDDEN_KEYS, MessageRefusal } from "./message-calls.ts";

const KINDS = {
  user: "human",
  human: "human",
  assistant: "ai",
  ai: "ai",
  AIMessageChunk: "ai",
  system: "system",
  developer: "system",
  tool: "tool",
} as const;

type Kind = (typeof KINDS)[keyof typeof KINDS];

const LONGEST_ID = 256;

/** Of a provider's metadata only what says whether the message is whole. */
const KEPT_METADATA = ["finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason"] as const;

function kindOf(message: JsonRecord, at: string): Kind {
  const kinds = [message.role, message.type]
    .filter((name) => name !== undefined && name !== null)
    .map((name) =>
      typeof name === "string" && Object.hasOwn(KINDS, name) ? KINDS[name as keyof typeof KINDS] : undefined,
    );
  const [kind] = kinds;
  if (kind && kinds.every((other) => other === kind)) return kind;
  throw new MessageRefusal(
    `${at}: expected one role (user, assistant, system, tool) or type (human, ai, system, tool)`,
  );
}

/** Text, or parts that each name their type. An AI message that only calls tools may have none. */
function contentOf(message: JsonRecord, kind: Kind, at: string): string | { type: string }[] {
  const { content } = message;
  if (typeof content === "string") return content;
  if (kind === "ai" && (content === undefined || content === null)) return "";
  if (Array.isArray(content) && content.every((part) => isRecord(part) && typeof part.type === "string"))
    return content;
  throw new MessageRefusal(`${at}.content: expected text or an array of parts that have a type`);
}

function textAt(message: JsonRecord, key: string, at: string): string | undefined {
  const value = message[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && value !== "" && value.length <= LONGEST_ID) return value;
  throw new MessageRefusal(`${at}.${key}: expected text of 1 to ${LONGEST_ID} characters`);
}

function metadataOf(message: JsonRecord): Record<string, unknown> {
  const given = isRecord(message.response_metadata) ? message.response_metadata : {};
  const { incomplete_details: details } = given;
  const kept: Record<string, unknown> = isRecord(details) ? { incomplete_details: { reason: details.reason } } : {};
  for (const key of KEPT_METADATA) {
    const value = given[key] ?? message[key];
    if (typeof value === "string") kept[key] = value;
  }
  return kept;
}

interface CommonFields {
  content: string | { type: string }[];
  id?: string;
  name?: string;
}

function createAiMessage(message: JsonRecord, fields: CommonFields, at: string): AIMessage {
  const { calls, invalid, raw } = decodeCalls(message, at);
  const created = new AIMessage({
    ...fields,
    // As they were given, whatever their types: `validate` is the judge, and answers each.
    tool_calls: calls as unknown as NonNullable<AIMessage["tool_calls"]>,
    invalid_tool_calls: invalid as unknown as NonNullable<AIMessage["invalid_tool_calls"]>,
    response_metadata: metadataOf(message),
  });
  // Set afterwards: given to the constructor, LangChain warns on the console and parses them itself.
  if (raw.length > 0) created.additional_kwargs = { tool_calls: raw } as unknown as AIMessage["additional_kwargs"];
  return created;
}

function decodeMessage(value: unknown, at: string): BaseMessage {
  if (!isRecord(value)) throw new MessageRefusal(`${at}: expected an object`);
  const kind = kindOf(value, at);
  const id = textAt(value, "id", at);
  const name = textAt(value, "name", at);
  const fields: CommonFields = {
    content: contentOf(value, kind, at),
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
  };
  if (kind === "human") return new HumanMessage(fields);
  if (kind === "system") return new SystemMessage(fields);
  if (kind === "ai") return createAiMessage(value, fields, at);
  const { tool_call_id: callId, status } = value;
  if (typeof callId !== "string" || callId === "") throw new MessageRefusal(`${at}.tool_call_id: expected text`);
  const outcome = status === "error" || status === "success" ? { status } : {};
  return new ToolMessage({ ...fields, ...outcome, tool_call_id: callId } as ConstructorParameters<
    typeof ToolMessage
  >[0]);
}

/** The messages in `value`, in order. @throws MessageRefusal that says which message and what is wrong with it. */
export function decodeMessages(value: unknown): BaseMessage[] {
  if (!Array.isArray(value)) throw new MessageRefusal("messages: expected an array");
  const fault = findJsonFault(value, FORBIDDEN_KEYS);
  if (fault !== undefined) throw new MessageRefusal(`messages: ${fault}`);
  const messages = value.map((message, index) => decodeMessage(message, `messages[${index}]`));
  const ids = messages.map((message) => message.id).filter((id) => id !== undefined);
  // The graph's reducer would let the later one replace the earlier one.
  if (new Set(ids).size < ids.length) throw new MessageRefusal("messages: two of them have the same id");
  return messages;
}
