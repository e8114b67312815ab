/**
 * Frames over the worker's own stdin and stdout, synchronously: a line is with the host before the next one is made.
 * Knows bytes only.
 */

import { readSync, writeSync } from "node:fs";
import { checkFrameLength, encodeFrame, parseFrame } from "../protocol/frame.ts";

const STDIN = 0;
const STDOUT = 1;

/** Small frames come whole with one read; what was read beyond one is the beginning of the next. */
const chunk = Buffer.alloc(64 * 1024);
let held = chunk.subarray(0, 0);

function readExactly(bytes: number): Buffer | null {
  if (held.length < bytes) {
    const buffer = bytes > chunk.length ? Buffer.allocUnsafe(bytes) : chunk;
    let filled = held.copy(buffer);
    while (filled < bytes) {
      const count = readSync(STDIN, buffer, filled, buffer.length - filled, null);
      if (count === 0) return null;
      filled += count;
    }
    held = buffer.subarray(0, filled);
  }
  const part = held.subarray(0, bytes);
  held = held.subarray(bytes);
  return part;
}

/** The next message; null at the end of input: the host has closed or is gone. */
export function receive(): unknown {
  const header = readExactly(4);
  const body = header && readExactly(checkFrameLength(header.readUInt32BE(0)));
  return body && parseFrame(body);
}

export function send(message: object): void {
  const frame = encodeFrame(message);
  let sent = 0;
  while (sent < frame.length) sent += writeSync(STDOUT, frame, sent, frame.length - sent);
}
