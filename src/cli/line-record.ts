/**
 * What every JSON line has in common: it parses, it is an object with known keys and an id, or it is answered as InvalidLine.
 * Throws nothing but LineRefusal, whatever the line holds.
 */

import type { LimitRow } from "../limits.ts";
import { MAX_MESSAGE_CHARS } from "../limits.ts";
import { findLimitFault, type LimitSettings } from "./arguments.ts";
import { findJsonFault, isRecord, type JsonRecord } from "./json-check.ts";
import { type InputLine, MAX_LINE_BYTES } from "./lines.ts";

export type LineId = string | number;

/** A line that cannot be taken: its id as far as it could be read, and why. */
export class LineRefusal extends Error {
  override readonly name = "LineRefusal";
  readonly id: LineId | null;

  constructor(id: LineId | null, message: string) {
    super(message);
    this.id = id;
  }
}

/** The answer to a line that could not be taken. */
export interface InvalidLineAnswer {
  readonly id: LineId | null;
  readonly ok: false;
  readonly status: "rejected";
  readonly error: "InvalidLine";
  readonly message: string;
}

export function answerRefusal({ id, message }: LineRefusal): InvalidLineAnswer {
  const cut = message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS - 1)}…` : message;
  return { id, ok: false, status: "rejected", error: "InvalidLine", message: cut.toWellFormed() };
}

const LONGEST_ID = 256;

function readId(record: JsonRecord): LineId | null {
  const { id } = record;
  if (typeof id === "string" && id.length <= LONGEST_ID) return id;
  return Number.isSafeInteger(id) ? (id as number) : null;
}

function parse(line: InputLine): unknown {
  if (line.kind === "too_long")
    throw new LineRefusal(null, `the line has ${line.bytes} bytes, at most ${MAX_LINE_BYTES} are read`);
  if (line.kind === "not_utf8") throw new LineRefusal(null, "the line is not valid UTF-8");
  try {
    return JSON.parse(line.text);
  } catch (error) {
    throw new LineRefusal(null, `not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A decoded line: its id, its fields, and how to refuse it. */
export interface LineRecord {
  readonly id: LineId;
  readonly fields: JsonRecord;
  refuse(message: string): never;
}

/** The fields of `line`, once it is an object with only `known` keys and a usable id. @throws LineRefusal */
export function readLineRecord(line: InputLine, known: readonly string[], forbidden: readonly string[]): LineRecord {
  const fields = parse(line);
  if (!isRecord(fields)) throw new LineRefusal(null, "expected a JSON object");
  const id = readId(fields);
  if (id === null)
    throw new LineRefusal(null, `id: expected text of at most ${LONGEST_ID} characters or a whole number`);
  const refuse = (message: string): never => {
    throw new LineRefusal(id, message);
  };
  const fault = findJsonFault(fields, forbidden);
  if (fault !== undefined) refuse(fault);
  const unknown = Object.keys(fields).find((key) => !known.includes(key));
  if (unknown !== undefined)
    refuse(`unknown key ${JSON.stringify(unknown.slice(0, 40))}, expected ${known.join(", ")}`);
  return { id, fields, refuse };
}

/** The limits of a line, each within the bounds of the table. @throws LineRefusal that names the limit */
export function readLimits({ fields, refuse }: LineRecord, scopes: readonly LimitRow["scope"][]): LimitSettings {
  const { limits } = fields;
  if (limits === undefined) return {};
  if (!isRecord(limits)) return refuse("limits: expected an object");
  for (const [name, value] of Object.entries(limits)) {
    const fault = findLimitFault(name, value, scopes);
    if (fault !== undefined) refuse(`limits: ${fault}`);
  }
  return limits as LimitSettings;
}
