/**
 * Frames under hostile bytes: any chunking, any length, any garbage. A reader gives whole values or a ProtocolViolation,
 * and keeps no memory for what has only been announced.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrame, FrameReader, MAX_FRAME_BYTES, ProtocolViolation, parseFrame } from "../../src/protocol/frame.ts";
import { decodeHostMessage, decodeWorkerMessage } from "../../src/protocol/messages.ts";

function header(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

function frameOf(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([header(bytes.length), bytes]);
}

function readAll(chunks: readonly Buffer[]): unknown[] {
  const reader = new FrameReader();
  return chunks.flatMap((chunk) => [...reader.push(chunk)]);
}

/** Cuts `bytes` at any places, also at the same place twice: empty chunks happen. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  let from = 0;
  return ends.map((end) => {
    const chunk = bytes.subarray(from, end);
    from = end;
    return chunk;
  });
}

const message = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());

describe("frames that an honest peer sends", () => {
  it("are read back whole, however the stream is cut", () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.array(fc.nat(5000), { maxLength: 40 }),
        (messages, places) => {
          const read = readAll(cutAt(Buffer.concat(messages.map(encodeFrame)), places));
          expect(read).toEqual(messages.map((sent) => JSON.parse(JSON.stringify(sent)) as unknown));
        },
      ),
    );
  });

  it("are read back one byte at a time", () => {
    const bytes = Buffer.concat([{ a: "é😀" }, {}, { b: [1, { c: null }] }].map(encodeFrame));
    expect(readAll([...bytes].map((byte) => Buffer.from([byte])))).toEqual([{ a: "é😀" }, {}, { b: [1, { c: null }] }]);
  });

  it("keep lone surrogates, which UTF-8 has no bytes for", () => {
    expect(readAll([encodeFrame({ text: "a\ud800b\udfff" })])).toEqual([{ text: "a\ud800b\udfff" }]);
  });

  it("are told from the beginning of a frame that has not ended", () => {
    const reader = new FrameReader();
    const bytes = encodeFrame({ a: 1 });
    expect(reader.isPartial).toBe(false);
    expect([...reader.push(bytes.subarray(0, 2))]).toEqual([]);
    expect(reader.isPartial).toBe(true);
    expect([...reader.push(bytes.subarray(2, 4))]).toEqual([]);
    expect(reader.isPartial).toBe(true);
    expect([...reader.push(bytes.subarray(4))]).toEqual([{ a: 1 }]);
    expect(reader.isPartial).toBe(false);
  });

  it("take time that grows with their bytes, not with their chunks", () => {
    const bytes = encodeFrame({ text: "x".repeat(8 * 1024 * 1024) });
    const chunks = cutAt(
      bytes,
      Array.from({ length: bytes.length >> 9 }, (_, index) => index << 9),
    );
    const started = performance.now();
    expect(readAll(chunks)).toHaveLength(1);
    expect(readAll([Buffer.concat(Array.from({ length: 50_000 }, () => encodeFrame({ n: 1 })))])).toHaveLength(50_000);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe("frames that a hostile peer sends", () => {
  it.each([0, 1, MAX_FRAME_BYTES + 1, 2 ** 30, 2 ** 31, 2 ** 32 - 1])(
    "of %i bytes are refused by their length alone",
    (length) => {
      const before = process.memoryUsage().arrayBuffers;
      expect(() => readAll([header(length)])).toThrow(ProtocolViolation);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
    },
  );

  it("get no memory for the largest honest length before their bytes have come", () => {
    const reader = new FrameReader();
    const before = process.memoryUsage().arrayBuffers;
    expect([...reader.push(header(MAX_FRAME_BYTES))]).toEqual([]);
    expect([...reader.push(Buffer.from("{"))]).toEqual([]);
    expect(reader.isPartial).toBe(true);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
  });

  it.each<[string, string | Buffer]>([
    ["text that is no JSON", "not json"],
    ["an object and more", "{} {}"],
    ["half an object", '{"a":'],
    ["a byte order mark", "\ufeff{}"],
    ["bytes that are no UTF-8", Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ["a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ["an overlong slash in UTF-8", Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ["a word of JavaScript", "NaN"],
    ["zero bytes", Buffer.alloc(16)],
  ])("with %s are refused", (_, body) => {
    expect(() => readAll([frameOf(body)])).toThrow(ProtocolViolation);
  });

  it("do not take along the good ones before them", () => {
    const reader = new FrameReader();
    const read: unknown[] = [];
    expect(() => {
      const bytes = Buffer.concat([encodeFrame({ good: 1 }), encodeFrame({ good: 2 }), frameOf("bad")]);
      for (const value of reader.push(bytes)) read.push(value);
    }).toThrow(ProtocolViolation);
    expect(read).toEqual([{ good: 1 }, { good: 2 }]);
  });

  it("of any bytes, in any pieces, are values or a violation, and never another error", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 12 }), (pieces) => {
        try {
          readAll(pieces.map((piece) => Buffer.from(piece)));
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolViolation);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("of any text with an honest length are values or a violation", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary", minLength: 2 }), fc.json()), (body) => {
        fc.pre(Buffer.byteLength(body) >= 2);
        try {
          expect(readAll([frameOf(body)])).toEqual([JSON.parse(body) as unknown]);
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolViolation);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["arrays", "[", "]"],
    ["objects", '{"type":', "}"],
  ])("200,000 %s deep overflow no stack, neither read nor decoded", (_, open, close) => {
    const depth = 200_000;
    const body = Buffer.from(`${open.repeat(depth)}null${close.repeat(depth)}`);
    for (const decode of [decodeHostMessage, decodeWorkerMessage]) {
      expect(() => decode(parseFrame(body))).toThrow(ProtocolViolation);
    }
  });
});
