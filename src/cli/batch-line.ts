/**
 * Decodes one line of `batch`: a program to run, with its language, input and limits.
 * The line's author is the operator: any limit within the table's bounds may be set.
 */

import { findInputFault } from "../sandbox/input.ts";
import type { CallLimits, JsonValue, Language } from "../types.ts";
import { type LineId, readLimits, readLineRecord } from "./line-record.ts";
import type { InputLine } from "./lines.ts";

export interface BatchLine {
  readonly id: LineId;
  readonly language: Language;
  readonly source: string;
  readonly input?: JsonValue;
  readonly limits: Partial<CallLimits>;
}

const KEYS = ["id", "language", "source", "input", "limits"] as const;

const LANGUAGE_NAMES: Readonly<Record<string, Language>> = {
  javascript: "javascript",
  typescript: "javascript",
  python: "python",
};

/** @throws LineRefusal */
export function decodeBatchLine(line: InputLine): BatchLine {
  const record = readLineRecord(line, KEYS, ["__proto__"]);
  const { id, fields, refuse } = record;
  const { language, source, input } = fields;
  const known =
    typeof language === "string" && Object.hasOwn(LANGUAGE_NAMES, language) ? LANGUAGE_NAMES[language] : undefined;
  if (!known) return refuse("language: expected javascript, typescript or python");
  if (typeof source !== "string") return refuse("source: expected text");
  const loss = input === undefined ? null : findInputFault(input);
  if (loss !== null) return refuse(loss);
  const decoded = { id, language: known, source, limits: readLimits(record, ["call"]) };
  return input === undefined ? decoded : { ...decoded, input: input as JsonValue };
}
