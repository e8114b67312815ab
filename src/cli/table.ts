/**
 * The look of tables: columns and space, no lines, so that they read the same in a terminal, a log and a mail.
 * Layout only.
 */

/** The lines of a table without the blanks at their ends. */
export function trimTable(table: { toString(): string }): string[] {
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd());
}

/** For cli-table3's `chars`. */
export const NO_BORDERS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: " ",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "",
} as const;
