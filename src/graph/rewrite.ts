/**
 * An AI message whose calls a provider would not take back, as one that it does: same message id, same words.
 * Touches no call that is somebody else's, and leaves a message alone that is valid as it stands.
 */

import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { isJson } from "../protocol/json.ts";
import { isWorthParsing, readArguments } from "./arguments.ts";
import { remakeMessage, withoutCallBlocks } from "./content.ts";
import { field, list } from "./fields.ts";
import { readRawCalls } from "./raw-calls.ts";
import { isOurs, type Turn, type TurnCall, type TurnRules } from "./turn.ts";

interface PlainCall {
  type: "tool_call";
  id: string;
  name: string;
  args: Record<string, unknown>;
}

function isPlainSource(args: unknown): args is { source: string } {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return false;
  return Reflect.ownKeys(args).every((key) => key === "source") && typeof field(args, "source") === "string";
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !Object.hasOwn(value, "__proto__");
}

function needsRewrite({ raw, id, name, verdict }: TurnCall, { limits }: TurnRules): boolean {
  const isDuplicate = !verdict.valid && verdict.error === "DuplicateCall";
  // Size before parsing, here as well: a million brackets hold the host's loop for a second.
  const isBroken = (text: string) => text.length > limits.argumentBytes || !isWorthParsing(text) || !isJson(text);
  return (
    raw.invalid ||
    raw.givenId !== id ||
    raw.givenName !== name ||
    isDuplicate ||
    !isPlainObject(raw.args) ||
    (raw.text !== undefined && isBroken(raw.text))
  );
}

function rewriteCall({ raw, id, name, verdict }: TurnCall, edit: string | undefined): PlainCall {
  const source = edit ?? (verdict.valid ? verdict.source : isPlainSource(raw.args) ? raw.args.source : undefined);
  return { type: "tool_call", id, name, args: source === undefined ? {} : { source } };
}

function without(value: unknown, keys: readonly string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** The provider's raw form, of calls that are somebody else's only. */
function foreignRaw(message: BaseMessage, ours: ReadonlySet<string>): { tool_calls?: unknown[] } {
  const raw = list(field(message.additional_kwargs, "tool_calls")).filter((call) => {
    const id = field(call, "id");
    return typeof id === "string" && !ours.has(id);
  });
  return raw.length === 0 ? {} : { tool_calls: raw };
}

/** Null where the message may stay. Takes the turn as it was before its calls were answered. */
export function rewriteMessage(turn: Turn, rules: TurnRules, edits: ReadonlyMap<string, string>): AIMessage | null {
  const { message, calls } = turn;
  const mustChange = (call: TurnCall) => needsRewrite(call, rules) || edits.has(call.id);
  if (message === null || !calls.some(mustChange)) return null;
  const byIndex = new Map(calls.map((call) => [call.raw.index, call]));
  const ids = new Set(calls.map((call) => call.id));
  const given = [...list(field(message, "tool_calls")), ...list(field(message, "invalid_tool_calls"))];
  const toolCalls: unknown[] = [];
  const invalidCalls: unknown[] = [];
  for (const raw of readRawCalls(message)) {
    const call = byIndex.get(raw.index);
    if (call !== undefined) toolCalls.push(mustChange(call) ? rewriteCall(call, edits.get(call.id)) : given[raw.index]);
    else if (raw.givenId !== null && ids.has(raw.givenId) && isOurs(raw, rules)) continue;
    else (raw.invalid ? invalidCalls : toolCalls).push(given[raw.index]);
  }
  return remakeMessage(message, {
    content: withoutCallBlocks(message.content),
    tool_calls: toolCalls,
    invalid_tool_calls: invalidCalls,
    additional_kwargs: {
      ...without(message.additional_kwargs, ["tool_calls", "function_call", "__openai_function_call_ids__"]),
      ...foreignRaw(message, ids),
    },
    response_metadata: without(message.response_metadata, ["output"]),
  });
}

/**
 * The message without the raw text of calls of ours whose text and parsed form agree: from here on the parsed form is
 * the call, and may be edited by a person. Where they differ both stay, and the call is refused for it.
 */
export function settleArguments(message: BaseMessage, rules: TurnRules): BaseMessage {
  const settled = readRawCalls(message).flatMap((raw) => {
    const isSettled =
      !raw.invalid && raw.text !== undefined && isOurs(raw, rules) && readArguments(raw, rules.limits).ok;
    return isSettled && raw.givenId !== null ? [raw.givenId] : [];
  });
  if (settled.length === 0) return message;
  return remakeMessage(message, {
    additional_kwargs: {
      ...without(message.additional_kwargs, ["tool_calls"]),
      ...foreignRaw(message, new Set(settled)),
    },
  });
}
