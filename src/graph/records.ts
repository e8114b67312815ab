/**
 * What one node leaves for the next about each call: sealed, bound to its message and to the words of the call.
 * Nothing that is read here without its seal is believed, and nothing that is read with it allows anything.
 */

import { observationText } from "../protocol/json.ts";
import type { CallRecord } from "../types.ts";
import { field, list } from "./fields.ts";
import { rejected } from "./refusals.ts";
import { hasSeal, makeSeal } from "./seal.ts";
import type { Turn, TurnCall } from "./turn.ts";

export interface SealedRecord extends CallRecord {
  seal: string;
}

function parts(turn: Turn, record: CallRecord): unknown[] {
  const { id, name, language, source, original, decision, observation, receipt } = record;
  const { asked, approval, grant, question } = record;
  const words = [id, name, language, source, original, decision, observation, receipt, asked, approval, grant];
  // What an older version sealed had no question, and is still what it was.
  const later = question === undefined ? [] : [question];
  return ["call", turn.message?.id ?? null, turn.number, ...words, ...later];
}

export function sealRecord(turn: Turn, record: CallRecord): SealedRecord {
  return { ...record, seal: makeSeal(parts(turn, record), turn.sealKey) };
}

/** The record of a call as `validate` leaves it: a rejected one is answered already. `edited`: a person's program. */
export function describeCall({ id, name, verdict }: TurnCall, edited: string | null = null): CallRecord {
  if (verdict.valid) {
    const { language, source } = verdict;
    return { id, name, language, ...(edited === null ? { source } : { source: edited, original: source }) };
  }
  return { id, name, observation: observationText(rejected(verdict.error, verdict.message)) };
}

/** By id, once for each list of records: a turn may have a thousand calls. */
const indexes = new WeakMap<readonly unknown[], Map<unknown, unknown>>();

function indexOf(stored: unknown): Map<unknown, unknown> {
  const records = list(stored);
  const known = indexes.get(records);
  if (known !== undefined) return known;
  const made = new Map(records.map((entry) => [field(entry, "id"), entry] as const).reverse());
  indexes.set(records, made);
  return made;
}

/** What is stored for the call, by whomever: for parts of it that prove themselves. */
export function findStored(stored: unknown, callId: string): Partial<CallRecord> | null {
  const found = indexOf(stored).get(callId);
  return typeof found === "object" && found !== null ? found : null;
}

/** The record that this process, or one with the same key, left for the call, if it is still about the same words. */
export function findRecord(turn: Turn, call: TurnCall, stored: unknown): CallRecord | null {
  // What the message itself says is wrong needs no record.
  const found = call.verdict.valid ? findStored(stored, call.id) : null;
  if (found === null) return null;
  const { seal, ...record } = found as SealedRecord;
  const source = call.verdict.valid ? call.verdict.source : undefined;
  const isSame = (record.original ?? record.source) === source;
  // A call that was rejected by an earlier node stays rejected, also where it would have room now.
  const isRejected = record.source === undefined && record.observation !== undefined;
  try {
    return hasSeal(parts(turn, record), seal, turn.sealKey) && (isSame || isRejected) ? record : null;
  } catch {
    return null;
  }
}

/** True where a person is asked about the call, and has not answered. */
export function isWaiting(record: unknown): boolean {
  const isGiven = (key: keyof CallRecord) => field(record, key) !== undefined;
  return isGiven("asked") && !isGiven("observation") && !isGiven("grant");
}

/** Programs that a person has put in place of the model's: the history says what was answered. */
export function findEdits(records: readonly CallRecord[]): ReadonlyMap<string, string> {
  return new Map(
    records.flatMap(({ id, source, original }) =>
      original === undefined || source === undefined ? [] : [[id, source] as const],
    ),
  );
}
