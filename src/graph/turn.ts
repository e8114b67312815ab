/**
 * One turn, read from the messages and from nothing else: which calls of ours wait for an answer, what each one says,
 * and the how-manieth turn since the last human message it is. Pure: every node reads it again and believes no state.
 */

import { createHash } from "node:crypto";
import type { BaseMessage } from "@langchain/core/messages";
import type { Language } from "../types.ts";
import { findAnswers } from "./answers.ts";
import { readArguments } from "./arguments.ts";
import { field, list } from "./fields.ts";
import { isCutShort, type RawCall, readRawCalls } from "./raw-calls.ts";
import type { RejectionError } from "./refusals.ts";
import type { SealKey } from "./seal.ts";

export interface TurnRules {
  /** Our tools by name. */
  tools: ReadonlyMap<string, Language>;
  unknownTools: "reject" | "leave";
  maxTurns: number;
  maxCallsPerTurn: number;
  limits: { argumentBytes: number; sourceChars: number };
  /** Of the records that nodes leave about the turn. Default: one of this process. */
  sealKey?: SealKey;
}

export type Verdict =
  | { valid: true; language: Language; source: string }
  | { valid: false; error: RejectionError; message: string };

export interface TurnCall {
  raw: RawCall;
  /** The given id, or one made from the message's id and the call's place. */
  id: string;
  /** The name as a provider would accept it back. */
  name: string;
  verdict: Verdict;
}

export interface Turn {
  /** The last AI message, where it has calls that wait. */
  message: BaseMessage | null;
  /** 1 for the first turn since the last human message; 0 where there was none. */
  number: number;
  /** Calls of ours that wait for an answer, one for each id, in the order of the message. */
  calls: TurnCall[];
  /** True where a call of ours has an answer already: it was not given here. */
  answeredElsewhere: boolean;
  /** True where calls wait that are somebody else's to answer. */
  foreign: boolean;
  sealKey?: SealKey;
}

const MAX_NAME_CHARS = 64;

function isHuman(message: BaseMessage): boolean {
  const role = field(message, "role");
  return message.getType() === "human" || (message.getType() === "generic" && (role === "user" || role === "human"));
}

/** A name that every provider takes back: theirs where it is one, else the nearest. */
export function providerName(givenName: string | null): string {
  const name = (givenName ?? "").slice(0, MAX_NAME_CHARS).replace(/[^a-zA-Z0-9_-]/gu, "_");
  return name.length > 0 ? name : "unknown_tool";
}

function syntheticId(message: BaseMessage, position: number, call: RawCall): string {
  const seed = `${message.id ?? position}\n${call.index}`;
  return `call_${createHash("sha256").update(seed).digest("hex").slice(0, 24)}`;
}

type Whose = Pick<TurnRules, "tools" | "unknownTools">;

function isOurName(name: unknown, rules: Whose): boolean {
  return rules.unknownTools === "reject" || (typeof name === "string" && rules.tools.has(name));
}

export function isOurs(call: RawCall, rules: Whose): boolean {
  return isOurName(call.givenName, rules);
}

/** Messages after the last human one, or all of them. */
export function sinceLastHuman(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  return messages.slice(messages.findLastIndex(isHuman) + 1);
}

function hasOurCalls(message: BaseMessage, rules: Whose): boolean {
  if (message.getType() !== "ai") return false;
  return [...list(field(message, "tool_calls")), ...list(field(message, "invalid_tool_calls"))].some((call) =>
    isOurName(field(call, "name"), rules),
  );
}

export function countTurns(messages: readonly BaseMessage[], rules: Whose): number {
  return sinceLastHuman(messages).filter((message) => hasOurCalls(message, rules)).length;
}

function judge(call: RawCall, rules: TurnRules): Verdict {
  const language = call.givenName === null ? undefined : rules.tools.get(call.givenName);
  if (language === undefined) {
    const allowed = [...rules.tools.keys()].join(", ");
    return { valid: false, error: "ToolNotAllowed", message: `There is no such tool. Allowed: ${allowed}.` };
  }
  const reading = readArguments(call, rules.limits);
  if (reading.ok) return { valid: true, language, source: reading.source };
  return { valid: false, error: "InvalidArguments", message: reading.message };
}

/** What is said of a call for which LangGraph leaves no steps. */
export const NO_ROOM = "The run has no steps left for another turn: this call was not run. Answer with what you have.";

interface Circumstances {
  duplicate: boolean;
  cutShort: boolean;
  number: number;
  place: number;
  hasRoom: boolean;
}

/** What forbids a call before its arguments are looked at. */
function refuseUnread(now: Circumstances, rules: TurnRules): Verdict | null {
  const refuse = (error: RejectionError, message: string): Verdict => ({ valid: false, error, message });
  if (now.duplicate)
    return refuse("DuplicateCall", "Two calls of one message have this id; neither was run. Give each its own.");
  if (now.cutShort) {
    return refuse(
      "TruncatedCall",
      "The message reached the token limit, so its calls may be cut off; none was run. Send less at once.",
    );
  }
  if (now.number > rules.maxTurns) {
    return refuse(
      "TurnLimit",
      `At most ${rules.maxTurns} turns may run code for one question. Answer with what you have.`,
    );
  }
  if (!now.hasRoom) return refuse("TurnLimit", NO_ROOM);
  if (now.place >= rules.maxCallsPerTurn) {
    return refuse(
      "TooManyCalls",
      `At most ${rules.maxCallsPerTurn} calls may be made at once; this one was not run. Send it in the next turn.`,
    );
  }
  return null;
}

const NO_TURN: Turn = { message: null, number: 0, calls: [], answeredElsewhere: false, foreign: false };

/** `hasRoom`: whether the steps that are left suffice to run anything. */
export function readTurn(messages: readonly BaseMessage[], rules: TurnRules, hasRoom = true): Turn {
  const position = messages.findLastIndex((message) => message.getType() === "ai" || isHuman(message));
  const message = messages[position];
  if (message === undefined || message.getType() !== "ai") return NO_TURN;
  const named = readRawCalls(message).map((raw) => ({ raw, id: raw.givenId ?? syntheticId(message, position, raw) }));
  const answered = findAnswers(messages, position);
  const timesNamed = new Map<string, number>();
  for (const { id } of named) timesNamed.set(id, (timesNamed.get(id) ?? 0) + 1);
  const ours = named.filter(({ raw }) => isOurs(raw, rules));
  const waiting = new Map(ours.filter(({ id }) => !answered.has(id)).map((call) => [call.id, call]));
  const number = countTurns(messages, rules);
  const cutShort = isCutShort(message);
  const calls = [...waiting.values()].map(({ raw, id }, place): TurnCall => {
    const duplicate = timesNamed.get(id) !== 1;
    const verdict = refuseUnread({ duplicate, cutShort, number, place, hasRoom }, rules) ?? judge(raw, rules);
    return { raw, id, name: providerName(raw.givenName), verdict };
  });
  return {
    message,
    number,
    calls,
    answeredElsewhere: ours.some(({ id }) => answered.has(id)),
    foreign: named.some(({ raw, id }) => !isOurs(raw, rules) && !answered.has(id)),
    ...(rules.sealKey === undefined ? {} : { sealKey: rules.sealKey }),
  };
}
