/**
 * What a program prints: bytes in, whole lines out through the one callback, until the budget is used. Then the callback
 * is never called again: a loop over it would defeat the isolate's time limit.
 */

import type { Decoded } from "./text.ts";

export function createOutput(
  host: (line: string | null) => void,
  decodePart: (bytes: Uint8Array, from: number, to: number, most: number, isLast: boolean) => Decoded,
) {
  "use strict";
  const { min } = Math;
  const Bytes = Uint8Array;
  let bytesLeft = 0;
  let linesLeft = 0;
  let isTruncated = false;
  let lastLine: string | null = null;
  const truncate = (): void => {
    bytesLeft = 0;
    linesLeft = 0;
    if (!isTruncated) host(null);
    isTruncated = true;
  };
  const emit = (bytes: Uint8Array, from: number, to: number): void => {
    if (linesLeft <= 0 || (bytesLeft <= 0 && to > from)) return truncate();
    const { text, size, end } = decodePart(bytes, from, to, bytesLeft, true);
    // Beyond the budget one empty line is shown still, and is the last.
    const isCut = end < to || bytesLeft < 0;
    bytesLeft -= size + 1;
    linesLeft--;
    lastLine = text;
    host(text);
    if (isCut) truncate();
  };
  const createStream = () => {
    let held = new Bytes(256);
    let length = 0;
    const append = (bytes: Uint8Array, from: number, to: number): void => {
      // Beyond the budget nothing more of a line is shown: one byte more tells that it was cut.
      const wanted = min(to - from, bytesLeft + 4 - length);
      if (wanted <= 0) return;
      if (length + wanted > held.length) {
        const larger = new Bytes((length + wanted) * 2);
        for (let index = 0; index < length; index++) larger[index] = held[index] as number;
        held = larger;
      }
      for (let index = 0; index < wanted; index++) held[length + index] = bytes[from + index] as number;
      length += wanted;
    };
    const flush = (): void => {
      if (length > 0) emit(held, 0, length);
      length = 0;
    };
    const write = (bytes: Uint8Array): number => {
      const count = bytes.length;
      if (linesLeft <= 0 || bytesLeft <= 0) {
        if (count > 0) truncate();
        return count;
      }
      let from = 0;
      for (let index = 0; index < count && linesLeft > 0; index++) {
        if (bytes[index] !== 10) continue;
        if (length === 0) emit(bytes, from, index);
        else {
          append(bytes, from, index);
          flush();
        }
        from = index + 1;
      }
      if (from < count) {
        if (linesLeft > 0) append(bytes, from, count);
        else truncate();
      }
      return count;
    };
    return { write, flush };
  };
  return {
    stdout: createStream(),
    stderr: createStream(),
    open(bytes: number, lines: number): void {
      bytesLeft = bytes;
      linesLeft = lines;
    },
    /** Null where lines were left out: the last one is not known then. */
    lastLine: (): string | null => (isTruncated ? null : lastLine),
  };
}
