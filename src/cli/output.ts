/**
 * Writes lines to a stream and waits where its reader is slow. A reader that has gone away is an end, not a fault.
 * Must not buffer: a line that the stream did not take at once is waited for.
 */

import type { Writable } from "node:stream";

/** The reader of our output has closed it: nothing more can be said, so nothing more is done. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

export interface LineWriter {
  /** Resolves when the stream can take more; rejects with OutputClosed when nobody reads. */
  write(line: string): Promise<void>;
}

function isClosedPipe(error: Error): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || code === "ECONNRESET";
}

/** A writer of whole lines to `stream`. Takes over the stream's error event. */
export function createLineWriter(stream: Writable): LineWriter {
  let fault: Error | undefined;
  let wake: () => void = () => {};
  stream.on("error", (error: Error) => {
    fault = isClosedPipe(error) ? new OutputClosed("the reader of the output has closed it") : error;
    wake();
  });
  stream.on("drain", () => wake());
  return {
    async write(line) {
      if (fault) throw fault;
      if (!stream.write(`${line}\n`)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (fault) throw fault;
    },
  };
}
