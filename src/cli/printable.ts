/**
 * Makes text that somebody else wrote safe to show on a terminal: control, bidi and invisible characters become `\uXXXX`.
 * Must not change anything else: what is readable stays as it is.
 */

import { escapeUnits } from "../protocol/json.ts";

// Tab and line feed are laid out by the caller. Everything else here could move the cursor, hide text or reorder it.
const UNSAFE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** `text` with every character escaped that a terminal could act on or hide; tabs and line feeds stay. */
export function toPrintable(text: string): string {
  return text.replace(UNSAFE, escapeUnits);
}

/** The same where a line of its own, or a column, would be taken for somebody else's words. */
export function toOneLine(text: string): string {
  return toPrintable(text).replace(/[\t\n]/g, escapeUnits);
}

/** `text` as printable lines, each behind `indent`: what a program wrote never stands at the margin, where our words stand. */
export function indentLines(text: string, indent: string): string[] {
  return toPrintable(text)
    .split("\n")
    .map((line) => (line === "" ? "" : indent + line));
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const COMBINING = /\p{M}/u;

/** Terminal columns that `text` takes: wide characters count two, combining marks none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += COMBINING.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
