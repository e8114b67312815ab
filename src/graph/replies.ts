/**
 * Decodes what somebody answered to a question for approval: untrusted, whoever it is said to come from.
 * All or nothing: an answer with one thing wrong is none. Reads own data properties only, and never throws.
 */

import { type ArgumentLimits, readArguments } from "./arguments.ts";

export type Reply = { type: "approve" } | { type: "edit"; source: string } | { type: "reject"; message: string };

export type Reading = { ok: true; replies: Reply[]; token: string | null } | { ok: false; problem: string };

const MAX_REASON_CHARS = 2000;

type Plain = ReadonlyMap<string, unknown>;

/** Own data properties of a plain object with no keys but these; null for anything else. */
function readPlain(value: unknown, keys: readonly string[]): Plain | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return null;
  const found = new Map<string, unknown>();
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (typeof key !== "string" || !keys.includes(key) || property === undefined || !("value" in property)) return null;
    found.set(key, property.value);
  }
  return found;
}

function readEdit(edit: unknown, asked: { name: string }, limits: ArgumentLimits): Reply | string {
  const action = readPlain(edit, ["name", "args"]);
  if (action === null) return 'editedAction has to be {"name", "args": {"source"}}';
  if (action.get("name") !== asked.name) return `editedAction.name has to stay ${JSON.stringify(asked.name)}`;
  const reading = readArguments({ args: action.get("args") }, limits);
  return reading.ok ? { type: "edit", source: reading.source } : `editedAction.args: ${reading.message}`;
}

function readReply(value: unknown, asked: { name: string }, limits: ArgumentLimits): Reply | string {
  const type: unknown = readPlain(value, ["type", "editedAction", "message"])?.get("type");
  if (type === "approve") return readPlain(value, ["type"]) === null ? "approve takes nothing else" : { type };
  if (type === "edit") {
    const edit = readPlain(value, ["type", "editedAction"]);
    return edit === null
      ? "edit takes editedAction and nothing else"
      : readEdit(edit.get("editedAction"), asked, limits);
  }
  if (type === "reject") {
    const reject = readPlain(value, ["type", "message"]);
    const message = reject?.get("message") ?? "";
    if (reject === null || typeof message !== "string") return "reject takes a message and nothing else";
    return { type, message: message.slice(0, MAX_REASON_CHARS) };
  }
  return 'expected {"type": "approve"}, {"type": "edit", "editedAction": …} or {"type": "reject", "message": …}';
}

function refuse(problem: string): Reading {
  return { ok: false, problem };
}

export interface Asked {
  calls: readonly { name: string }[];
  token: string;
  limits: ArgumentLimits;
}

function read(value: unknown, { calls, token, limits }: Asked): Reading {
  const answer = readPlain(value, ["decisions", "token"]);
  const decisions = answer?.get("decisions");
  if (answer === null || !Array.isArray(decisions))
    return refuse('An answer has the form {"decisions": […], "token"?}.');
  const given = answer.get("token");
  if (given !== undefined && given !== token) return refuse("The token is not the one of this question.");
  if (decisions.length !== calls.length) {
    return refuse(`Expected ${calls.length} decisions, one for each call in order, got ${decisions.length}.`);
  }
  const replies: Reply[] = [];
  for (const [index, asked] of calls.entries()) {
    const reply = readReply(Object.getOwnPropertyDescriptor(decisions, index)?.value, asked, limits);
    if (typeof reply === "string") return refuse(`decisions[${index}]: ${reply}`);
    replies.push(reply);
  }
  return { ok: true, replies, token: given === undefined ? null : token };
}

export function readReplies(value: unknown, asked: Asked): Reading {
  try {
    return read(value, asked);
  } catch {
    return refuse("The answer cannot be read.");
  }
}
