/**
 * Colour and width of an output stream. Colour only on a terminal that has not asked for none.
 * Every text must read the same without it: colour repeats what words already say.
 */

import type { WriteStream } from "node:tty";
import picocolors from "picocolors";

type Colors = ReturnType<typeof picocolors.createColors>;

/** What a stream can show. */
export interface Style extends Colors {
  /** Columns to lay text out in: 80 where the stream is no terminal, at most 100. */
  readonly columns: number;
  readonly isTerminal: boolean;
}

const NARROWEST = 60;
const WIDEST = 100;
const WITHOUT_TERMINAL = 80;

/** True where `stream` is a terminal and neither NO_COLOR nor a dumb terminal forbids colour. */
export function hasColor(stream: Pick<WriteStream, "isTTY">): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb";
}

/** The style of `stream`, read once. */
export function createStyle(stream: WriteStream): Style {
  const isTerminal = stream.isTTY === true;
  const columns = isTerminal
    ? Math.max(NARROWEST, Math.min(WIDEST, stream.columns || WITHOUT_TERMINAL))
    : WITHOUT_TERMINAL;
  return Object.assign(picocolors.createColors(hasColor(stream)), { columns, isTerminal });
}
