/**
 * Reads standard input into one buffer, over and over, and only as fast as its reader asks: nothing piles up.
 * A chunk is only good until the next one is asked for: whoever needs it longer copies it.
 */

import { fstatSync, read } from "node:fs";
import { Socket } from "node:net";
import { promisify } from "node:util";

const CHUNK_BYTES = 64 * 1024;
const STANDARD_INPUT = 0;

async function* readFromFile(buffer: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
  const readInto = promisify(read);
  for (;;) {
    const { bytesRead } = await readInto(STANDARD_INPUT, buffer, 0, buffer.length, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* readFromPipe(buffer: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
  let arrived = 0;
  let ended = false;
  let wake: () => void = () => {};
  const socket = new Socket({
    fd: STANDARD_INPUT,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback: (bytes) => {
        arrived = bytes;
        wake();
        return false; // Read no more until this much has been taken.
      },
    },
  });
  let fault: Error | null = null;
  const end = (error?: unknown): void => {
    if (error instanceof Error) fault ??= error;
    ended = true;
    wake();
  };
  socket.on("end", end).on("close", end).on("error", end);
  for (;;) {
    const news = new Promise<void>((resolve) => {
      wake = resolve;
    });
    socket.resume();
    if (arrived === 0 && !ended) await news;
    if (arrived === 0) {
      // Half of an input is no input.
      if (fault) throw fault;
      return;
    }
    const bytes = arrived;
    arrived = 0;
    yield buffer.subarray(0, bytes);
  }
}

/** The bytes of standard input. To be read once. */
export function readStandardInput(): AsyncIterable<Uint8Array> {
  const stats = fstatSync(STANDARD_INPUT);
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  if (stats.isFile()) return readFromFile(buffer);
  // A terminal comes in small pieces, and reading it is Node's own art.
  return stats.isFIFO() || stats.isSocket() ? readFromPipe(buffer) : process.stdin;
}
