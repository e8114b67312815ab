/**
 * Tool calls out of one AI message, with the raw text of their arguments wherever the message still has it.
 * Judges nothing, and never throws: names, ids and arguments come out as they are.
 */

import { field, list, textOf } from "./fields.ts";

export interface RawCall {
  /** Place in `tool_calls`, then `invalid_tool_calls`. */
  index: number;
  /** The id as given, where a provider could have given it. */
  givenId: string | null;
  /** The name as given, null where it is no string. */
  givenName: string | null;
  /** True where the provider's client could not make sense of the call. */
  invalid: boolean;
  text?: string;
  args?: unknown;
}

/** Longest id and name that are taken as given; a provider's own have 64 characters at most. */
const MAX_ID_CHARS = 1000;

interface RawText {
  id: string | null;
  text: string;
}

function usableId(value: unknown): string | null {
  return typeof value === "string" && value.length > 0 && value.length <= MAX_ID_CHARS ? value : null;
}

/** Pieces of one call share an index, or an id where no index was sent. */
export function joinChunks(chunks: readonly unknown[]): { id: string | null; name: string; text: string }[] {
  const joined = new Map<string, { id: string | null; name: string; text: string }>();
  chunks.forEach((chunk, position) => {
    const index = field(chunk, "index");
    const id = usableId(field(chunk, "id"));
    const key = index === undefined || index === null ? (id ?? `at ${position}`) : `index ${String(index)}`;
    const call = joined.get(key) ?? { id: null, name: "", text: "" };
    call.id ??= id;
    call.name += textOf(field(chunk, "name")) ?? "";
    call.text += textOf(field(chunk, "args")) ?? "";
    joined.set(key, call);
  });
  return [...joined.values()];
}

function readRawTexts(message: unknown): RawText[] {
  const provider = list(field(field(message, "additional_kwargs"), "tool_calls")).flatMap((call) => {
    const text = textOf(field(field(call, "function"), "arguments"));
    return text === undefined ? [] : [{ id: usableId(field(call, "id")), text }];
  });
  return provider.length > 0 ? provider : joinChunks(list(field(message, "tool_call_chunks")));
}

/** What several texts for one call come to: no JSON, so that the call is refused. */
const AMBIGUOUS = "";

/** By id; calls without one by their order, where as many texts have none. */
function findText(texts: readonly RawText[], call: RawCall, withoutId: readonly RawCall[]): string | undefined {
  const own = texts.filter((text) => text.id === call.givenId);
  if (own.length === 0) return undefined;
  if (call.givenId !== null) return own.length === 1 ? own[0]?.text : AMBIGUOUS;
  return own.length === withoutId.length ? own[withoutId.indexOf(call)]?.text : AMBIGUOUS;
}

export function readRawCalls(message: unknown): RawCall[] {
  const parsed = list(field(message, "tool_calls"));
  const invalid = list(field(message, "invalid_tool_calls"));
  const texts = readRawTexts(message);
  const calls = [...parsed, ...invalid].map((call, index): RawCall => {
    const name = field(call, "name");
    const isInvalid = index >= parsed.length;
    const args = field(call, "args");
    return {
      index,
      givenId: usableId(field(call, "id")),
      givenName: textOf(name) ?? null,
      invalid: isInvalid,
      ...(isInvalid ? { text: textOf(args) ?? "" } : { args: args === undefined ? null : args }),
    };
  });
  const withoutId = calls.filter((call) => call.givenId === null && !call.invalid);
  return calls.map((call) => {
    if (call.invalid && call.givenId === null) return call;
    const text = findText(texts, call, withoutId);
    return text === undefined ? call : { ...call, text };
  });
}

const CUT_SHORT = /^(length|max_?(output_?|new_?)?tokens|model_length|model_context_window_exceeded|token_limit)/i;

/** True where the provider says that it stopped at its token limit: nothing in such a message is complete. */
export function isCutShort(message: unknown): boolean {
  const metadata = field(message, "response_metadata");
  const reasons = [
    field(metadata, "finish_reason"),
    field(metadata, "finishReason"),
    field(metadata, "stop_reason"),
    field(metadata, "stopReason"),
    field(metadata, "done_reason"),
    field(field(metadata, "incomplete_details"), "reason"),
    field(field(message, "additional_kwargs"), "stop_reason"),
  ];
  return reasons.some((reason) => typeof reason === "string" && CUT_SHORT.test(reason));
}
