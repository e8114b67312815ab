/**
 * What a program prints: bytes in, lines out through the one callback, until the budget is used. Then the callback is never
 * called again: a loop over it would defeat the isolate's time limit. What there is of a line that has not ended is told
 * at once, as a part: should the program be stopped, it is kept. The line itself comes whole, when it ends.
 */

import type { Stream } from "../../../protocol/messages.ts";
import type { Decoded } from "./text.ts";

/** A line; a line of which parts were told, with its stream; one more part; or null: no more will come. */
export type Tell = (text: string | null, stream?: Stream, isPart?: boolean) => void;

export function createOutput(
  host: Tell,
  decodePart: (bytes: Uint8Array, from: number, to: number, most: number, isLast: boolean) => Decoded,
) {
  "use strict";
  const { min } = Math;
  const Bytes = Uint8Array;
  /** The host reads a message for each: from so many on, not for a few letters. */
  let smallPartsLeft = 16_384;
  const SMALL = 64;
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
  const emit = (bytes: Uint8Array, from: number, to: number, begun?: Stream): void => {
    if (linesLeft <= 0 || (bytesLeft <= 0 && to > from)) return truncate();
    const { text, size, end } = decodePart(bytes, from, to, bytesLeft, true);
    // Beyond the budget one empty line is shown still, and is the last.
    const isCut = end < to || bytesLeft < 0;
    bytesLeft -= size + 1;
    linesLeft--;
    lastLine = text;
    host(text, begun);
    if (isCut) truncate();
  };
  const createStream = (stream: Stream) => {
    let held = new Bytes(256);
    let length = 0;
    /** How much of what is held was told, in parts; and how large that is as text. */
    let told = 0;
    let toldSize = 0;
    const append = (bytes: Uint8Array, from: number, to: number): void => {
      // Beyond the budget nothing more of a line is shown: one character more tells that it was cut.
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
    const tellPart = (): void => {
      const { text, size, end } = decodePart(held, told, length, bytesLeft + 4 - toldSize, false);
      if (size === 0) return;
      if (size < SMALL) {
        if (smallPartsLeft <= 0 && toldSize + size <= bytesLeft) return;
        smallPartsLeft--;
      }
      told = end;
      toldSize += size;
      host(text, stream, true);
    };
    const flush = (): void => {
      if (length > 0) emit(held, 0, length, told > 0 ? stream : undefined);
      length = 0;
      told = 0;
      toldSize = 0;
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
        if (linesLeft > 0 && bytesLeft > 0) {
          append(bytes, from, count);
          tellPart();
        } else truncate();
      }
      return count;
    };
    return { write, flush };
  };
  return {
    stdout: createStream("stdout"),
    stderr: createStream("stderr"),
    open(bytes: number, lines: number): void {
      bytesLeft = bytes;
      linesLeft = lines;
    },
    /** Null where lines were left out: the last one is not known then. */
    lastLine: (): string | null => (isTruncated ? null : lastLine),
  };
}
