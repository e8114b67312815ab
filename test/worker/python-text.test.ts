/**
 * The UTF-8 decoder of the Python isolate, against Node's own: valid, cut, overlong, and plain noise, at once and in pieces
 * that end wherever they like. Then where it stops, which is what limits of output are counted by.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createText } from "../../src/worker/guest/python/text.ts";

const { Decoder, decodePart } = createText();
const RUNS = { numRuns: 5000 };

/** The loader's texts and printed ones keep a byte order mark: it is a letter that somebody wrote. */
const decodeAsNode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
const decode = (bytes: Uint8Array): string => new Decoder("utf-8").decode(bytes);

const PIECES = [
  ...[
    "a",
    "plain text of more than eight letters",
    "é",
    "\u07ff",
    "\u0800",
    "€",
    "\ud7ff",
    "\ue000",
    "\ufeff",
    "\uffff",
  ],
  ...["😀", "\u{10ffff}"],
].map((text) => [...Buffer.from(text)]);
const BROKEN = [
  ...[[0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc2], [0xe0, 0x80, 0x80], [0xe0, 0x9f, 0xbf], [0xe2, 0x82]],
  ...[
    [0xed, 0xa0, 0x80],
    [0xed, 0xbf, 0xbf],
    [0xf0, 0x80, 0x80, 0x80],
    [0xf0, 0x8f, 0xbf, 0xbf],
    [0xf0, 0x9f],
  ],
  ...[[0xf0, 0x9f, 0x98], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80], [0xf8, 0x88], [0xff], [0xfe, 0xff]],
];
const byte = fc.oneof(
  fc.integer({ min: 0, max: 255 }),
  fc.constantFrom(0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4),
);
const some = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.constantFrom(...BROKEN), fc.array(byte, { maxLength: 6 })), {
    maxLength: 8,
  })
  .map((pieces) => Uint8Array.from(pieces.flat()));

describe("bytes", () => {
  it.each([
    ["what is no letter swallows none", Buffer.from("\xffHello", "latin1"), "\ufffdHello"],
    ["Latin-1", Buffer.from("café (x) y", "latin1"), "caf\ufffd (x) y"],
    ["half a surrogate pair", Buffer.from([0xed, 0xa0, 0x80, 0x61]), "\ufffd\ufffd\ufffda"],
    ["a letter that is longer than needed", Buffer.from([0xc0, 0xaf, 0xe0, 0x80, 0xaf]), "\ufffd".repeat(5)],
    ["a letter that is cut", Buffer.from([0xf0, 0x9f, 0x98, 0x41, 0xe2, 0x82]), "\ufffdA\ufffd"],
    ["a byte order mark", Buffer.from("\ufeffa\ufeff"), "\ufeffa\ufeff"],
  ])("are read as the Encoding standard has it: %s", (_, bytes, text) => {
    expect(decodeAsNode(bytes)).toBe(text);
    expect(decode(bytes)).toBe(text);
  });

  it("of one, two and three are read as Node reads them, all that there are at the edges", () => {
    const edges = [
      0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
    ].concat([0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff]);
    const wrong: number[][] = [];
    for (const first of edges) {
      for (const second of edges) {
        for (const third of edges) {
          for (const fourth of [0x41, 0x80, 0xbf, 0xc2]) {
            const bytes = Uint8Array.of(first, second, third, fourth);
            for (let length = 1; length <= 4; length++) {
              const cut = bytes.subarray(0, length);
              if (decode(cut) !== decodeAsNode(cut)) wrong.push([...cut]);
            }
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it("of any kind are read as Node reads them", () => {
    fc.assert(
      fc.property(some, (bytes) => {
        expect(decode(bytes)).toBe(decodeAsNode(bytes));
      }),
      RUNS,
    );
  });

  it("that come in pieces give the same text, and none of it is told before it is known", () => {
    fc.assert(
      fc.property(some, fc.array(fc.nat({ max: 40 }), { maxLength: 6 }), (bytes, cuts) => {
        const ends = [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const node = new TextDecoder("utf-8", { ignoreBOM: true });
        let text = "";
        let told = 0;
        let nodeText = "";
        let fed = 0;
        for (const to of ends) {
          const isLast = to === bytes.length;
          const part = decodePart(bytes, told, to, Number.POSITIVE_INFINITY, isLast);
          expect(part.size).toBe(Buffer.byteLength(part.text));
          text += part.text;
          told = part.end;
          nodeText += node.decode(bytes.subarray(fed, to), { stream: !isLast });
          fed = to;
          expect(decodeAsNode(bytes).startsWith(text)).toBe(true);
          if (isLast) break;
        }
        expect(text).toBe(nodeText);
        expect(told).toBe(bytes.length);
      }),
      RUNS,
    );
  });

  it("are read up to so many bytes of text, which never ends within a letter", () => {
    fc.assert(
      fc.property(some, fc.integer({ min: -2, max: 60 }), (bytes, most) => {
        const { text, size, end } = decodePart(bytes, 0, bytes.length, most, true);
        const whole = decodeAsNode(bytes);
        expect(size).toBe(Buffer.byteLength(text));
        expect(whole.startsWith(text)).toBe(true);
        expect(size).toBeLessThanOrEqual(Math.max(most, 0));
        expect(end === bytes.length).toBe(text === whole);
        const next = [...whole.slice(text.length)][0];
        if (next !== undefined) expect(size + Buffer.byteLength(next)).toBeGreaterThan(most);
      }),
      RUNS,
    );
  });
});
