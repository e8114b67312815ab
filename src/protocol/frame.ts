/**
 * Frames on a byte stream: four bytes of length, big end first, then that many bytes of UTF-8 JSON.
 * The length is checked before anything is allocated. Knows nothing of what a frame means.
 */

/** A peer broke the protocol: nothing it sends can be believed any more. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
}

const HEADER_BYTES = 4;

/** No honest frame is larger: the largest input, result or output fits, though every character be escaped twice. */
export const MAX_FRAME_BYTES = 32 * 1024 * 1024;

export function encodeFrame(message: object): Buffer {
  const json = JSON.stringify(message);
  const bytes = Buffer.byteLength(json);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes);
  frame.writeUInt32BE(bytes, 0);
  frame.write(json, HEADER_BYTES, "utf8");
  return frame;
}

/** No honest frame nests deeper, or has more values: what is large in one is text. */
const MAX_DEPTH = 8;
const MAX_VALUES = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** The index behind the text that begins at `start`; the length where it does not end. */
function skipText(body: Uint8Array, start: number): number {
  for (let end = body.indexOf(QUOTE, start + 1); end !== -1; end = body.indexOf(QUOTE, end + 1)) {
    let first = end;
    while (body[first - 1] === BACKSLASH) first--;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return body.length;
}

/** Before a frame is parsed: a small one may hold more values than there is memory, and nobody would be asked again. */
function checkShape(body: Uint8Array): void {
  let depth = 0;
  let values = 0;
  for (let index = 0; index < body.length; ) {
    const byte = body[index];
    if (byte === QUOTE) {
      index = skipText(body, index);
      continue;
    }
    // Brackets and braces differ in one bit.
    const bracket = (byte ?? 0) | 0x20;
    if (bracket === 0x7b) depth++;
    else if (bracket === 0x7d) depth--;
    else if (byte === COMMA) values++;
    if (depth > MAX_DEPTH) throw new ProtocolViolation(`a frame deeper than ${MAX_DEPTH}`);
    if (values > MAX_VALUES) throw new ProtocolViolation(`a frame of more than ${MAX_VALUES} values`);
    index++;
  }
}

/** @throws ProtocolViolation where the bytes are not JSON in UTF-8, or are more deeply nested than any message. */
export function parseFrame(body: Uint8Array): unknown {
  checkShape(body);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
  } catch (cause) {
    throw new ProtocolViolation("a frame is not JSON", { cause });
  }
}

/** Checks a length before anything of that length is kept. */
export function checkFrameLength(length: number): number {
  if (length < 2 || length > MAX_FRAME_BYTES) throw new ProtocolViolation(`a frame of ${length} bytes`);
  return length;
}

/** Cuts a stream into frames. Holds at most one incomplete frame. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #held = 0;
  #wanted = HEADER_BYTES;
  #inBody = false;

  /** True where a frame has begun and not ended. */
  get isPartial(): boolean {
    return this.#held > 0 || this.#inBody;
  }

  /** @throws ProtocolViolation; the reader is of no use after it. */
  *push(chunk: Buffer): Generator<unknown> {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    while (this.#held >= this.#wanted) {
      const part = this.#take(this.#wanted);
      if (this.#inBody) {
        this.#inBody = false;
        this.#wanted = HEADER_BYTES;
        yield parseFrame(part);
      } else {
        this.#wanted = checkFrameLength(part.readUInt32BE(0));
        this.#inBody = true;
      }
    }
  }

  #take(bytes: number): Buffer {
    const first = this.#chunks[0];
    if (first === undefined) return Buffer.alloc(0);
    const joined = first.length >= bytes ? first : Buffer.concat(this.#chunks);
    if (joined !== first) this.#chunks = [joined];
    const rest = joined.subarray(bytes);
    if (rest.length > 0) this.#chunks[0] = rest;
    else this.#chunks.shift();
    this.#held -= bytes;
    return joined.subarray(0, bytes);
  }
}
