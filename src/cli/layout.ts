/**
 * The look of what is shown to a person: headings, wrapped text, programs, observations. Lines out, nothing printed.
 * Every line fits the width, and reads the same without colour.
 */

import { formatListing } from "./excerpt.ts";
import { toPrintable, widthOf } from "./printable.ts";
import type { Style } from "./style.ts";

const MARGIN = "  ";
const INDENT = "     ";

/** `text` in lines of at most `width` columns, broken at its own breaks and at spaces where there are any. */
export function wrapText(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, width));
}

function wrapLine(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** One line of JSON over as many lines as it takes: broken after a comma or a space, else where the width ends. */
export function wrapJson(json: string, width: number): string[] {
  const lines: string[] = [];
  let rest = json;
  while (rest.length > width) {
    const head = rest.slice(0, width);
    const at = Math.max(head.lastIndexOf(","), head.lastIndexOf(" ")) + 1;
    const cut = at > width / 2 ? at : width;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return [...lines, rest];
}

/** A numbered heading with a rule to the right, and a note at its end. */
export function formatHeading(number: number, title: string, note: string, style: Style): string {
  const label = `${String(number).padStart(2)}  ${title} `;
  const end = note === "" ? "" : ` ${note}`;
  const rule = "─".repeat(Math.max(3, style.columns - MARGIN.length - widthOf(label) - widthOf(end) - 2));
  return `${MARGIN}${style.bold(label)}${style.dim(rule + end)}`;
}

export function formatText(text: string, style: Style, indent = INDENT): string[] {
  return wrapText(toPrintable(text), style.columns - indent.length - 2).map((line) => `${indent}${line}`);
}

export function formatProgram(source: string, style: Style): string[] {
  return formatListing(source, style, INDENT.length);
}

/** The observation exactly as the model gets it. */
export function formatObservationText(json: string, style: Style): string[] {
  return wrapJson(toPrintable(json), style.columns - INDENT.length - 6).map(
    (line, index) => `${INDENT}${index === 0 ? style.cyan("◂") : " "} ${line}`,
  );
}

/** The nodes that the call passed. */
export function formatPath(nodes: readonly string[], style: Style): string {
  return `${INDENT}${style.dim(`${nodes.join(" ─▶ ")} ─▶ END`)}`;
}

/** Whether what was seen is what the tour says. */
export function formatVerdict(remark: string, difference: string | undefined, style: Style): string[] {
  const mark = difference === undefined ? style.green("✓") : style.red("✗");
  const text = difference === undefined ? remark : `not as the tour says: ${difference}`;
  return wrapText(toPrintable(text), style.columns - INDENT.length - 4).map(
    (line, index) => `${INDENT}${index === 0 ? mark : " "} ${line}`,
  );
}
