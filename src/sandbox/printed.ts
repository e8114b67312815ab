/**
 * What one run prints, as it comes from its worker: whole lines, and parts of those that have not ended, which count where
 * the run ends first. A worker that sends more than was allowed breaks the protocol; an honest one has cut it already.
 */

import { MAX_STDOUT_PARTS } from "../limits.ts";
import { ProtocolViolation } from "../protocol/frame.ts";
import type { RunMessage, Stream } from "../protocol/messages.ts";

/** An honest worker tells up to one character more than has room, so that it is seen that a line is cut. */
const BEYOND_BYTES = 4;

export interface Printed {
  /** @throws ProtocolViolation; so do the next two. */
  line(text: string, stream?: Stream): void;
  part(text: string, stream: Stream): void;
  truncate(): void;
  /** Once, when the run is over: what has not ended is the last of the lines. */
  end(): { stdout: string[]; stdoutTruncated: boolean };
}

/** A line that has not ended. */
interface Open {
  text: string;
  bytes: number;
}

/** The longest beginning of at most `max` bytes that ends with a whole character. */
function cutBytes(text: string, max: number): string {
  // Most fit: then there is nothing to make room for.
  if (Buffer.byteLength(text) <= max) return text;
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(max)).read);
}

/** `tell` hears each whole line, and at the end what has not ended. */
export function createPrinted(
  { stdoutBytes, stdoutLines }: Pick<RunMessage, "stdoutBytes" | "stdoutLines">,
  tell: (line: string) => void,
): Printed {
  const stdout: string[] = [];
  const open: Record<Stream, Open> = { stdout: { text: "", bytes: 0 }, stderr: { text: "", bytes: 0 } };
  let bytesLeft = stdoutBytes;
  /** As the guest counts it, which takes the end of a line for a byte. */
  let room = stdoutBytes;
  let partsLeft = MAX_STDOUT_PARTS;
  let stdoutTruncated = false;

  const add = (line: string, bytes: number): void => {
    bytesLeft -= bytes;
    room -= bytes + 1;
    stdout.push(line);
    tell(line);
  };

  const checkRoom = (hasRoom: boolean): void => {
    if (!hasRoom || stdoutTruncated || stdout.length >= stdoutLines) {
      throw new ProtocolViolation("more output than was allowed");
    }
  };

  const endLine = ({ text }: Open): void => {
    if (text === "" || stdoutTruncated) return;
    const kept = stdout.length < stdoutLines && room > 0 ? cutBytes(text, room) : null;
    stdoutTruncated = kept !== text;
    if (kept !== null) add(kept, Buffer.byteLength(kept));
  };

  return {
    line(text, stream) {
      const bytes = Buffer.byteLength(text);
      checkRoom(bytes <= bytesLeft);
      if (stream !== undefined) {
        if (open[stream].text === "") throw new ProtocolViolation("the end of a line that was not begun");
        open[stream] = { text: "", bytes: 0 };
      }
      add(text, bytes);
    },
    part(text, stream) {
      const line = open[stream];
      line.bytes += Buffer.byteLength(text);
      checkRoom(line.bytes <= room + BEYOND_BYTES);
      if (text === "" || partsLeft-- <= 0) throw new ProtocolViolation("more parts of lines than there can be");
      line.text += text;
    },
    truncate() {
      if (stdoutTruncated) throw new ProtocolViolation("truncated twice");
      stdoutTruncated = true;
    },
    end() {
      endLine(open.stdout);
      endLine(open.stderr);
      return { stdout, stdoutTruncated };
    },
  };
}
