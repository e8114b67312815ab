/** The snapshot's file: what is left out of it is what new memory is already, and nothing else. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPythonFiles } from "../../src/worker/engines/python/files.ts";
import { pack, unpack } from "../../src/worker/engines/python/packing.ts";
import { findDataEnd, lowerMemoryMaximum } from "../../src/worker/engines/python/wasm-memory.ts";

const BLOCK = 64 * 1024;
const HEAD = 128;

/** As pyodide makes one: its second word says where the memory begins. */
function makeSnapshot(memory: Uint8Array): Uint8Array {
  const snapshot = new Uint8Array(HEAD + memory.length);
  snapshot.fill(7, 0, HEAD);
  new DataView(snapshot.buffer).setUint32(4, HEAD, true);
  snapshot.set(memory, HEAD);
  return snapshot;
}

async function restore(packed: Uint8Array, memory: Uint8Array) {
  const { bytes, parts } = await unpack(packed);
  for (const [at, from, to] of parts.pieces) memory.set(new Uint8Array(bytes, at, to - from), from);
  const copied = parts.pieces.reduce((sum, [, from, to]) => sum + to - from, 0);
  return { head: new Uint8Array(bytes, ...parts.head), memory, copied };
}

/** Blocks that are empty, full, or have one byte at a place of its own. */
const memories = fc
  .array(
    fc.oneof(
      fc.constant(null),
      fc.constant("full" as const),
      fc.record({ place: fc.nat(BLOCK - 1), value: fc.integer({ min: 1, max: 255 }) }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((blocks) => {
    const memory = new Uint8Array(blocks.length * BLOCK);
    for (const [index, block] of blocks.entries()) {
      if (block === "full") memory.fill(index + 1, index * BLOCK, (index + 1) * BLOCK);
      else if (block !== null) memory[index * BLOCK + block.place] = block.value;
    }
    return memory;
  });

describe("a packed snapshot", () => {
  it("restores new memory, whatever the module itself has put below the end of its data", async () => {
    await fc.assert(
      fc.asyncProperty(memories, fc.nat(3 * BLOCK), async (memory, dataEnd) => {
        const fresh = new Uint8Array(memory.length).fill(9, 0, dataEnd);
        const snapshot = makeSnapshot(memory);
        const restored = await restore(pack(snapshot, dataEnd), fresh);
        expect(Buffer.compare(restored.memory, memory)).toBe(0);
        expect([...restored.head]).toEqual([...snapshot.subarray(0, HEAD)]);
      }),
      { numRuns: 60 },
    );
  });

  it("holds no long stretch of zeros", async () => {
    const memory = new Uint8Array(100 * BLOCK);
    memory[50 * BLOCK] = 1;
    const { copied } = await restore(pack(makeSnapshot(memory), BLOCK), new Uint8Array(memory.length));
    expect(copied).toBe(2 * BLOCK);
  });

  it("of this checkout covers all that the module fills, and leaves out at least a third of the memory", async () => {
    const folder = new URL("../../src/worker/guest/python/built/", import.meta.url);
    const { parts } = await unpack(readFileSync(new URL("snapshot.bin", folder)));
    const dataEnd = findDataEnd(new Uint8Array(readPythonFiles().wasm));
    const [first] = parts.pieces;
    expect(first?.[1]).toBe(0);
    expect(first?.[2]).toBeGreaterThanOrEqual(dataEnd);
    const ranges = parts.pieces.flatMap(([, from, to]) => [from, to]);
    expect(ranges).toEqual([...new Set(ranges)].sort((a, b) => a - b));
    const copied = parts.pieces.reduce((sum, [, from, to]) => sum + to - from, 0);
    expect(copied).toBeLessThan(((ranges.at(-1) ?? 0) * 2) / 3);
  });
});

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): void;
}

/** Its memory, started. The types of Node say nothing of WebAssembly as a value. */
function start(bytes: Uint8Array): Memory {
  const { WebAssembly: engine } = globalThis as unknown as {
    WebAssembly: { Module: new (bytes: Uint8Array) => object; Instance: new (module: object) => { exports: object } };
  };
  return (new engine.Instance(new engine.Module(bytes)).exports as { m: Memory }).m;
}

/** A module with a memory of 1 to 10 pages, and data at the given places. */
function makeModule(data: readonly (readonly [place: number, text: string])[]): Uint8Array<ArrayBuffer> {
  const number = (value: number): number[] =>
    value < 64 ? [value] : [(value & 127) | 128, ...(value >> 7 === 0 ? [0] : number(value >> 7))];
  const section = (id: number, body: readonly number[]) => [id, ...number(body.length), ...body];
  const segments = data.flatMap(([place, text]) => [
    ...[0, 0x41, ...number(place), 0x0b],
    ...number(text.length),
    ...Buffer.from(text),
  ]);
  return new Uint8Array([
    ...[0, 97, 115, 109, 1, 0, 0, 0],
    ...section(5, [1, 1, 1, 10]),
    ...section(7, [1, 1, 109, 2, 0]),
    ...section(11, [...number(data.length), ...segments]),
  ]);
}

describe("a module's bytes", () => {
  it.each([
    [[[0, "a"]], 1],
    [[[1024, "abc"]], 1027],
    [
      [
        [40_000, "the last"],
        [63, "x"],
        [64, "y"],
        [8191, "z"],
      ],
      40_008,
    ],
  ] as const)("say where the data ends that it starts with: %j", (data, end) => {
    const bytes = makeModule(data);
    const memory = new Uint8Array(start(bytes).buffer);
    expect(memory.findLastIndex((byte) => byte !== 0) + 1).toBe(end);
    expect(findDataEnd(bytes)).toBe(end);
  });

  it("hold a lower maximum, in as many bytes", () => {
    const bytes = makeModule([[0, "a"]]);
    lowerMemoryMaximum(bytes, 3);
    const memory = start(bytes);
    memory.grow(2);
    expect(() => memory.grow(1)).toThrow(RangeError);
    expect(() => lowerMemoryMaximum(makeModule([]), 11)).toThrow("no memory of its own with a maximum");
  });

  it("without data, or with data of another kind, are refused", () => {
    expect(() => findDataEnd(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))).toThrow("no data");
    const bytes = makeModule([[1024, "abc"]]);
    bytes[bytes.lastIndexOf(0x41)] = 0x23;
    expect(() => findDataEnd(bytes)).toThrow("data of another kind");
  });
});
