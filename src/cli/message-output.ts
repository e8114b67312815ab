/**
 * Turns LangChain's messages into OpenAI form, arguments as text: what can be sent to a model or fed in again.
 * Reads whatever the fields hold; must not throw on a malformed call.
 */

import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { isRecord } from "./json-check.ts";

const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant", system: "system", tool: "tool" };

interface OutputCall {
  id: unknown;
  type: "function";
  function: { name: unknown; arguments: string };
}

function rawArguments(message: AIMessage, id: unknown): string | undefined {
  const raw: unknown = message.additional_kwargs.tool_calls;
  const call = Array.isArray(raw) ? raw.find((candidate) => isRecord(candidate) && candidate.id === id) : undefined;
  const text = isRecord(call) && isRecord(call.function) ? call.function.arguments : undefined;
  return typeof text === "string" ? text : undefined;
}

function encodeCalls(message: AIMessage): OutputCall[] {
  const valid = (message.tool_calls ?? []).map(
    (call): OutputCall => ({
      id: call.id ?? null,
      type: "function",
      function: { name: call.name, arguments: rawArguments(message, call.id) ?? JSON.stringify(call.args ?? {}) },
    }),
  );
  const known = new Set(valid.map((call) => call.id));
  const invalid = (message.invalid_tool_calls ?? [])
    .filter((call) => !known.has(call.id))
    .map(
      (call): OutputCall => ({
        id: call.id ?? null,
        type: "function",
        function: { name: call.name, arguments: typeof call.args === "string" ? call.args : "" },
      }),
    );
  return [...valid, ...invalid];
}

/** `message` in OpenAI form. */
export function encodeMessage(message: BaseMessage): Record<string, unknown> {
  const role = ROLES[message.type] ?? message.type;
  const name = message.name === undefined ? {} : { name: message.name };
  if (ToolMessage.isInstance(message)) {
    return { role, tool_call_id: message.tool_call_id, ...name, content: message.content };
  }
  if (!AIMessage.isInstance(message)) return { role, ...name, content: message.content };
  const calls = encodeCalls(message);
  return { role, ...name, content: message.content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}
