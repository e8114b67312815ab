/**
 * Decodes one line of `graph`: messages, and the options of the graph that they go through.
 * Must refuse, never repair: what is malformed inside a tool call is the graph's to answer, everything else is refused here.
 */

import type { BaseMessage } from "@langchain/core/messages";
import type { LimitSettings } from "./arguments.ts";
import { findLimitFault } from "./arguments.ts";
import { isRecord, type JsonRecord } from "./json-check.ts";
import { type LineId, type LineRecord, readLimits, readLineRecord } from "./line-record.ts";
import type { InputLine } from "./lines.ts";
import { FORBIDDEN_KEYS, MessageRefusal } from "./message-calls.ts";
import { decodeMessages } from "./messages.ts";

/** The options of a graph as a line may set them; absent where the line says nothing. */
export interface GraphSettings {
  readonly policy?: string | JsonRecord;
  readonly maxTurns?: number;
  readonly endOn?: "success" | "answer";
  readonly unknownTools?: "reject" | "leave";
  readonly limits: LimitSettings;
}

export interface GraphLine {
  readonly id: LineId;
  readonly messages: BaseMessage[];
  readonly settings: GraphSettings;
}

const KEYS = ["id", "messages", "policy", "maxTurns", "endOn", "limits", "unknownTools"] as const;

function readMessages({ fields, refuse }: LineRecord): BaseMessage[] {
  try {
    return decodeMessages(fields.messages);
  } catch (error) {
    if (error instanceof MessageRefusal) return refuse(error.message);
    throw error;
  }
}

function readWord<Word extends string>(record: LineRecord, key: string, words: readonly Word[]): Word | undefined {
  const value = record.fields[key];
  const word = words.find((candidate) => candidate === value);
  if (value !== undefined && word === undefined) record.refuse(`${key}: expected ${words.join(" or ")}`);
  return word;
}

function readSettings(record: LineRecord): GraphSettings {
  const { policy, maxTurns } = record.fields;
  if (policy !== undefined && typeof policy !== "string" && !isRecord(policy)) {
    record.refuse("policy: expected the name of a preset or a policy document");
  }
  const turnsFault = maxTurns === undefined ? undefined : findLimitFault("maxTurns", maxTurns, ["graph"]);
  if (turnsFault !== undefined) record.refuse(turnsFault);
  const settings = {
    policy,
    maxTurns,
    endOn: readWord(record, "endOn", ["success", "answer"]),
    unknownTools: readWord(record, "unknownTools", ["reject", "leave"]),
  };
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return { ...given, limits: readLimits(record, ["call", "graph"]) };
}

/** @throws LineRefusal */
export function decodeGraphLine(line: InputLine): GraphLine {
  const record = readLineRecord(line, KEYS, FORBIDDEN_KEYS);
  return { id: record.id, messages: readMessages(record), settings: readSettings(record) };
}
