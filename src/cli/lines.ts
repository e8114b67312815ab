/**
 * Splits a stream of bytes into lines without ever holding more than the cap: of a longer line only its length is kept.
 * Must not wait for more input than a line needs, and never throws on what the bytes say.
 */

/** One line of input, or why it cannot be read. */
export type InputLine = { kind: "text"; text: string } | { kind: "too_long"; bytes: number } | { kind: "not_utf8" };

/** Longest line that is read; a longer one is answered without being held. */
export const MAX_LINE_BYTES = 1024 * 1024;

const LINE_FEED = 10;
const FIRST_CAPACITY = 64 * 1024;

class LineBuffer {
  readonly #maxBytes: number;
  // Also strips a byte order mark, at the start of a file or of a line of files put together.
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #held = Buffer.allocUnsafe(FIRST_CAPACITY);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Takes bytes of the current line; beyond the cap they are counted, not kept. */
  add(bytes: Uint8Array): void {
    const kept = Math.min(bytes.length, Math.max(0, this.#maxBytes - this.#length));
    if (kept > 0) {
      this.#reserve(this.#length + kept);
      this.#held.set(bytes.subarray(0, kept), this.#length);
    }
    this.#length += bytes.length;
  }

  #reserve(needed: number): void {
    if (needed <= this.#held.length) return;
    const grown = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(needed, this.#held.length * 2)));
    grown.set(this.#held);
    this.#held = grown;
  }

  /** Ends the line; undefined where it was blank. */
  end(): InputLine | undefined {
    const bytes = this.#length;
    this.#length = 0;
    if (bytes > this.#maxBytes) return { kind: "too_long", bytes };
    try {
      const text = this.#decoder.decode(this.#held.subarray(0, bytes));
      return text.trim() === "" ? undefined : { kind: "text", text };
    } catch {
      return { kind: "not_utf8" };
    }
  }
}

/** The lines of `source` that are not blank, each as soon as it is complete. CR LF ends a line as LF does. */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<InputLine, void, undefined> {
  const buffer = new LineBuffer(maxBytes);
  for await (const chunk of source) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      buffer.add(chunk.subarray(from, at));
      from = at + 1;
      const line = buffer.end();
      if (line) yield line;
    }
    buffer.add(chunk.subarray(from));
  }
  if (buffer.isEmpty) return;
  const last = buffer.end();
  if (last) yield last;
}
