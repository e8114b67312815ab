/**
 * Tells JSON from other text, and prints a value as one line of it that is safe to show: control, bidi and invisible
 * characters and lone surrogates leave as \uXXXX. Loses nothing: what is parsed back is what went in. Decides nothing
 * about what may be shown.
 */

import type { JsonValue, Observation } from "../types.ts";

/** Control, format (bidi), line separators, lone surrogates, and what is drawn as nothing. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]+/gu;

/** By code unit: a text of nothing but such characters must not hold the host's loop. */
const escapes = new Map<number, string>();

function escapeUnit(unit: number): string {
  const known = escapes.get(unit);
  if (known !== undefined) return known;
  const made = `\\u${unit.toString(16).padStart(4, "0")}`;
  escapes.set(unit, made);
  return made;
}

/** Each UTF-16 unit of the text as \uXXXX. */
export function escapeUnits(text: string): string {
  let escaped = "";
  for (let index = 0; index < text.length; index++) escaped += escapeUnit(text.charCodeAt(index));
  return escaped;
}

/** A link to a file in what a program printed must not be one that a terminal opens on the reader's machine. */
const FILE_LINK = /file:\/\//gi;

/** One line of JSON. A value that JSON has no word for prints as null. */
export function printJson(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined
    ? "null"
    : text.replace(UNSEEN, escapeUnits).replace(FILE_LINK, (link) => link.replaceAll("/", "\\/"));
}

/** The observation as the model gets it: one line, one order of keys, no `usage`. */
export function observationText(observation: Observation): string {
  const { ok, status, result, stdout, error, message, line, column, truncated } = observation;
  return printJson({ ok, status, result, stdout, error, message, line, column, truncated });
}

/** Reads back what `observationText` printed; null for any other text. */
export function parseObservationText(text: unknown): { ok: boolean; status: string } | null {
  if (typeof text !== "string" || !text.startsWith('{"ok":')) return null;
  try {
    const parsed = JSON.parse(text) as { ok?: JsonValue; status?: JsonValue };
    if (typeof parsed.ok !== "boolean" || typeof parsed.status !== "string") return null;
    return { ok: parsed.ok, status: parsed.status };
  } catch {
    return null;
  }
}

/** Whether a text is JSON, whatever its value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
