/**
 * Characters that a person does not see, or that turn what they see around, in texts that are shown for approval.
 * Shows and tells of them; changes no text that is run.
 */

import type { UnseenCharacter } from "../policy/approval.ts";
import { escapeUnits } from "../protocol/json.ts";

/** Control (tab and line feed aside), format (bidi), separators, lone surrogates, and what is drawn as nothing. */
const UNSEEN = /[^\P{Cc}\t\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const RUNS = new RegExp(`(?:${UNSEEN.source})+`, "gu");
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const CONTROL = /\p{Cc}/u;

const MAX_FLAGS = 20;

/** The text with each such character as \uXXXX; tabs and line feeds stay. */
export function showUnseen(text: string): string {
  return text.replace(RUNS, escapeUnits);
}

/** The same for every text within; keys are the product's own. */
export function showUnseenWithin<Value>(value: Value): Value {
  if (typeof value === "string") return showUnseen(value) as Value;
  if (Array.isArray(value)) return value.map(showUnseenWithin) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, showUnseenWithin(inner)])) as Value;
}

/** The first of them with their places, 1-based. */
export function findUnseen(text: string): UnseenCharacter[] {
  const found: UnseenCharacter[] = [];
  let line = 1;
  let lineStart = 0;
  let seen = 0;
  for (const match of text.matchAll(UNSEEN)) {
    for (let at = text.indexOf("\n", seen); at !== -1 && at < match.index; at = text.indexOf("\n", at + 1)) {
      line += 1;
      lineStart = at + 1;
    }
    seen = Math.max(match.index, lineStart);
    const [character] = match;
    const kind = BIDI.test(character) ? "bidi" : CONTROL.test(character) ? "control" : "invisible";
    const codePoint = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    found.push({ kind, codePoint, line, column: match.index - lineStart + 1 });
    if (found.length === MAX_FLAGS) break;
  }
  return found;
}
