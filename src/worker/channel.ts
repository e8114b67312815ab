/**
 * Frames over the worker's own stdin and stdout, synchronously: a line is with the host before the next one is made.
 * Knows bytes only.
 */

import { readSync, writeSync } from "node:fs";
import { checkFrameLength, encodeFrame, parseFrame } from "../protocol/frame.ts";

const STDIN = 0;
const STDOUT = 1;

function readExactly(bytes: number): Buffer | null {
  const buffer = Buffer.allocUnsafe(bytes);
  let filled = 0;
  while (filled < bytes) {
    const count = readSync(STDIN, buffer, filled, bytes - filled, null);
    if (count === 0) return null;
    filled += count;
  }
  return buffer;
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
