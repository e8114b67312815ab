/**
 * The snapshot's file and the modules as bytes: what is left out of a memory is what new memory is already, and nothing else;
 * what is taken out of the interpreter's module and glue is what nobody calls.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readGlue } from "../../src/worker/engines/python/files.ts";
import { trimGlue } from "../../src/worker/engines/python/glue.ts";
import { pack, unpack } from "../../src/worker/engines/python/packing.ts";
import {
  findDataEnd,
  keepExports,
  lowerMemoryMaximum,
  writeFiller,
} from "../../src/worker/engines/python/wasm-module.ts";

const BLOCK = 4096;
const WASM_PAGE = 65_536;
const HEAD = 128;
const GLUE = { glue: "the glue", exports: new Set(["one", "two"]), errorNumbersAt: 123 };

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): void;
}

/** The types of Node say nothing of WebAssembly as a value. */
const engine = (
  globalThis as unknown as {
    WebAssembly: {
      Memory: new (sizes: { initial: number; maximum: number }) => Memory;
      Module: (new (
        bytes: Uint8Array,
      ) => object) & {
        exports(module: object): { name: string }[];
        customSections(module: object, name: string): ArrayBuffer[];
      };
      Instance: new (module: object, imports?: object) => { exports: object };
    };
  }
).WebAssembly;

/** As pyodide makes one: its second word says where the memory begins. */
function makeSnapshot(memory: Uint8Array): Uint8Array {
  const snapshot = new Uint8Array(HEAD + memory.length);
  snapshot.fill(7, 0, HEAD);
  new DataView(snapshot.buffer).setUint32(4, HEAD, true);
  snapshot.set(memory, HEAD);
  return snapshot;
}

/** A memory with 9 below `dataEnd`, as the module itself leaves it, after the filler was started on it. */
async function restore(packed: Uint8Array, bytes: number, dataEnd = 0) {
  const { contents, ...header } = unpack(Buffer.from(packed));
  const { filler, glue } = await contents;
  const memory = new engine.Memory({ initial: Math.max(1, Math.ceil(bytes / WASM_PAGE)), maximum: 17_408 });
  const view = new Uint8Array(memory.buffer, 0, bytes);
  view.fill(9, 0, dataEnd);
  new engine.Instance(new engine.Module(filler), { m: { m: memory } });
  return { ...header, glue, memory: view, fillerBytes: filler.length };
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
      fc.asyncProperty(memories, fc.nat(3 * BLOCK), async (memory, end) => {
        const dataEnd = Math.min(end, memory.length);
        const snapshot = makeSnapshot(memory);
        const restored = await restore(pack(snapshot, GLUE, dataEnd), memory.length, dataEnd);
        expect(Buffer.compare(restored.memory, memory)).toBe(0);
        expect(restored.head).toEqual([...snapshot.subarray(0, HEAD)]);
      }),
      { numRuns: 60 },
    );
  });

  it("gives back the glue that it was made with, and what that takes of the module", async () => {
    const { glue, exports, errorNumbersAt } = await restore(pack(makeSnapshot(new Uint8Array(BLOCK)), GLUE, 0), BLOCK);
    expect({ glue, exports, errorNumbersAt }).toEqual(GLUE);
  });

  it("holds no page of zeros", async () => {
    const memory = new Uint8Array(100 * BLOCK);
    memory[50 * BLOCK] = 1;
    const { fillerBytes } = await restore(pack(makeSnapshot(memory), GLUE, BLOCK), memory.length);
    expect(fillerBytes - 2 * BLOCK).toBeLessThan(100);
  });

  it("of this checkout leaves out at least two fifths of the memory", async () => {
    const folder = new URL("../../src/worker/guest/python/built/", import.meta.url);
    const packed = readFileSync(new URL("snapshot.bin", folder));
    const wasm = readFileSync(createRequire(import.meta.url).resolve("pyodide/pyodide.asm.wasm"));
    const { memory, fillerBytes } = await restore(packed, 480 * WASM_PAGE);
    expect(fillerBytes).toBeLessThan((memory.length * 3) / 5);
    // Whatever the module has put below the end of its data, nothing of it is left.
    const over = await restore(packed, memory.length, findDataEnd(wasm));
    expect(Buffer.compare(over.memory, memory)).toBe(0);
  });

  it("that was cut off is refused", async () => {
    const packed = Buffer.from(pack(makeSnapshot(new Uint8Array(BLOCK).fill(3)), GLUE, 0));
    await expect(unpack(packed.subarray(0, -5)).contents).rejects.toThrow();
    expect(() => unpack(packed.subarray(0, 10))).toThrow();
  });
});

describe("a module that fills a memory", () => {
  it("puts each piece in its place and touches nothing else, up to the last byte of 1 GiB", () => {
    const memory = new engine.Memory({ initial: 16_384, maximum: 17_408 });
    const view = new Uint8Array(memory.buffer);
    view.fill(5, 0, 10);
    const end = 2 ** 30;
    const pieces = [0, 3, 62, 65, 8190, 8192, 2 ** 20 - 1, end - 2].map(
      (place, index) => [place, new Uint8Array([index + 1, index + 101])] as const,
    );
    new engine.Instance(new engine.Module(writeFiller(pieces)), { m: { m: memory } });
    for (const [place, contents] of pieces) expect([...view.subarray(place, place + 2)]).toEqual([...contents]);
    expect([...view.subarray(0, 6)]).toEqual([1, 101, 5, 2, 102, 5]);
    expect([...view.subarray(61, 68)]).toEqual([0, 3, 103, 0, 4, 104, 0]);
  });

  it("does not start on a smaller memory", () => {
    const small = new engine.Memory({ initial: 1, maximum: 2 });
    const filler = new engine.Module(writeFiller([[WASM_PAGE, new Uint8Array(1)]]));
    expect(() => new engine.Instance(filler, { m: { m: small } })).toThrow();
  });
});

describe("pyodide's glue", () => {
  it("takes a small part of what the module offers, and all of that is there", () => {
    const { glue, exports } = readGlue();
    const wasm = readFileSync(createRequire(import.meta.url).resolve("pyodide/pyodide.asm.wasm"));
    const offered = new Set(engine.Module.exports(new engine.Module(wasm)).map(({ name }) => name));
    expect([...exports].filter((name) => !offered.has(name))).toEqual([]);
    expect(exports.size).toBeGreaterThan(100);
    expect(exports.size).toBeLessThan(offered.size / 20);
    expect(glue).not.toMatch(/_PyObject_VectorcallMethod\b/);
    keepExports(wasm, exports);
    const kept = engine.Module.exports(new engine.Module(wasm)).map(({ name }) => name);
    expect([...exports].filter((name) => !kept.includes(name))).toEqual([]);
    expect(kept.length - exports.size).toBeLessThan(10);
  });

  it("that is written in another way is refused", () => {
    expect(() => trimGlue("function assignWasmExports(){}", "")).toThrow("in one place");
    const glue = 'var _a,wasmTable,wasmMemory;function assignWasmExports(wasmExports){_a=wasmExports["a"]}';
    expect(() => trimGlue(glue, "")).toThrow("no longer holds: import.meta.url");
  });
});

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

/** Its memory, started. */
function start(bytes: Uint8Array): Memory {
  return (new engine.Instance(new engine.Module(bytes)).exports as { m: Memory }).m;
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

  it("offer only what is named, and the memory", () => {
    const bytes = makeModule([[0, "a"]]);
    const names = (): string[] => engine.Module.exports(new engine.Module(bytes)).map(({ name }) => name);
    expect(names()).toEqual(["m"]);
    expect(() => keepExports(bytes, new Set(["x"]))).toThrow("no export x");
    expect(() => keepExports(bytes, new Set())).toThrow("too few exports");
    expect(names()).toEqual(["m"]);
  });

  it("without data, or with data of another kind, are refused", () => {
    expect(() => findDataEnd(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))).toThrow("no data");
    const bytes = makeModule([[1024, "abc"]]);
    bytes[bytes.lastIndexOf(0x41)] = 0x23;
    expect(() => findDataEnd(bytes)).toThrow("data of another kind");
  });
});
