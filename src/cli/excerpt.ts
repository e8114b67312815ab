/**
 * Shows the place of an error in a program: the line, its neighbours, a caret under the column.
 * Pure text in, text out; what the program's author wrote is made printable first.
 */

import { toPrintable, widthOf } from "./printable.ts";
import type { Style } from "./style.ts";

export interface Place {
  readonly line: number;
  readonly column?: number;
}

const NEIGHBOURS = 1;
const MARK = "…";

function toCells(text: string): string {
  return toPrintable(text.replaceAll("\t", "  "));
}

/** At most `width` columns of `line` around `column` (1-based, in UTF-16 units), and where the caret goes in them. */
function cutAround(line: string, column: number, width: number): { text: string; caret: number } {
  const half = Math.floor(width / 2);
  const from = column - 1 > width - 8 ? Math.max(0, column - 1 - half) : 0;
  const before = (from > 0 ? MARK : "") + toCells(line.slice(from, column - 1));
  const after = toCells(line.slice(column - 1, column - 1 + Math.max(8, width - widthOf(before))));
  const room = Math.max(8, width - widthOf(before) - 1);
  const cut = after.length > room || from + width < line.length - 1;
  return {
    text: before + (after.length > room ? after.slice(0, room) : after) + (cut ? MARK : ""),
    caret: widthOf(before),
  };
}

/** The lines around `place` with line numbers, each indented by two spaces; empty where the program has no such line. */
export function formatExcerpt(source: string, place: Place, style: Style): string[] {
  const lines = source.split(/\r\n|[\n\r\u2028\u2029]/);
  if (place.line < 1 || place.line > lines.length) return [];
  const first = Math.max(1, place.line - NEIGHBOURS);
  const hasLastLine = lines.at(-1) !== "" || place.line === lines.length;
  const last = Math.min(hasLastLine ? lines.length : lines.length - 1, place.line + NEIGHBOURS);
  const digits = String(last).length;
  const width = style.columns - digits - 8;
  const shown: string[] = [];
  for (let number = first; number <= last; number++) {
    const isPlace = number === place.line;
    const { text, caret } = cutAround(lines[number - 1] ?? "", isPlace ? (place.column ?? 1) : 1, width);
    const gutter = `  ${isPlace ? style.red(">") : " "} ${style.dim(String(number).padStart(digits))} ${style.dim("│")}`;
    shown.push(`${gutter} ${isPlace ? text : style.dim(text)}`.trimEnd());
    if (isPlace && place.column !== undefined) {
      shown.push(`    ${" ".repeat(digits)} ${style.dim("│")} ${" ".repeat(caret)}${style.red("^")}`);
    }
  }
  return shown;
}

/** A whole program with line numbers, each line indented by `indent` spaces. */
export function formatListing(source: string, style: Style, indent: number): string[] {
  const lines = source.split("\n");
  const digits = String(lines.length).length;
  return lines.map((line, index) => {
    const number = style.dim(`${String(index + 1).padStart(digits)} │`);
    return `${" ".repeat(indent)}${number} ${toCells(line)}`.trimEnd();
  });
}
