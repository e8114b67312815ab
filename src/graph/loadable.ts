/**
 * What a checkpoint would bring back as something else (a live object, another prototype), or not bring back at all.
 * Tells it, and puts text in its place; knows nothing of calls.
 */

import { type BaseMessage, type MessageContent } from "@langchain/core/messages";
import { remakeMessage } from "./content.ts";
import { field } from "./fields.ts";

const MAX_DEPTH = 32;

/** `classes`: what to say of an object of a class, which may be an image's bytes. */
function holdsRevivable(value: unknown, classes: boolean, depth: number): boolean {
  if (typeof value === "bigint") return true;
  if (value === null || typeof value !== "object")
    return classes && (typeof value === "function" || typeof value === "symbol");
  if (depth > MAX_DEPTH) return true;
  const inner = (item: unknown) => holdsRevivable(item, classes, depth + 1);
  if (Array.isArray(value)) return value.some(inner);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Object.hasOwn(value, "lc") || Object.hasOwn(value, "__proto__")) return true;
  if (prototype !== Object.prototype && prototype !== null) return classes;
  return Object.values(value).some(inner);
}

function isRevivable(value: unknown, classes: boolean): boolean {
  try {
    return holdsRevivable(value, classes, 0);
  } catch {
    return true;
  }
}

export function isPlainJson(value: unknown): boolean {
  return !isRevivable(value, true);
}

/** As JSON; empty where there is none. */
export function printPlain(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

function keepFields(fields: unknown): Record<string, unknown> {
  if (typeof fields !== "object" || fields === null) return {};
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) =>
      key === "__proto__" || key === "lc" ? [] : [[key, isRevivable(value, false) ? printPlain(value) : value]],
    ),
  );
}

function keepContent(content: MessageContent): MessageContent {
  if (!Array.isArray(content)) return typeof content === "string" ? content : printPlain(content);
  return content.map((block) => (isRevivable(block, false) ? { type: "text", text: printPlain(block) } : block));
}

/** The message, with text where it holds what would not come back from a checkpoint as it is. */
export function keepLoadable(message: BaseMessage): BaseMessage {
  const artifact: unknown = field(message, "artifact");
  const { content, additional_kwargs: kwargs, response_metadata: metadata } = message;
  if (![content, kwargs, metadata, artifact].some((value) => isRevivable(value, false))) return message;
  const changes = {
    content: keepContent(content),
    additional_kwargs: keepFields(kwargs),
    response_metadata: keepFields(metadata),
    ...(isRevivable(artifact, false) ? { artifact: printPlain(artifact) } : {}),
  };
  if (message.getType() === "ai") return remakeMessage(message, changes);
  const Kind = message.constructor as new (fields: object) => BaseMessage;
  return new Kind({ ...message, ...changes });
}
