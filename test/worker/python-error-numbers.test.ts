/** The interpreter's module and memory are changed where they are known to be what they were, and nowhere else. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { giveMessages, translateErrors } from "../../src/worker/engines/python/error-numbers.ts";

/** The types of Node say nothing of WebAssembly as a value. */
const engine = (globalThis as unknown as { WebAssembly: { validate(bytes: Uint8Array): boolean } }).WebAssembly;

const readModule = () => readFileSync(createRequire(import.meta.url).resolve("pyodide/pyodide.asm.wasm"));

describe("the translation of error numbers", () => {
  it("changes thirteen bytes of the module, which is one as before", () => {
    const before = readModule();
    const after = readModule();
    translateErrors(after, 4_000_000);
    const changed = [...before.keys()].filter((at) => before[at] !== after[at]);
    expect(changed.length).toBeGreaterThan(8);
    expect((changed.at(-1) ?? 0) - (changed[0] ?? 0)).toBeLessThan(13);
    expect(engine.validate(after)).toBe(true);
  });

  it("is refused where the module is another, or is translated already", () => {
    const translated = readModule();
    translateErrors(translated, 4_000_000);
    expect(() => translateErrors(translated, 4_000_000)).toThrow("the question for signals is not there once");
    expect(() => translateErrors(Buffer.from([0, 97, 115, 109]), 0)).toThrow("not there once");
  });

  it("of messages is refused where they lie elsewhere", () => {
    expect(() => giveMessages(Buffer.alloc(10_000))).toThrow("the first of the messages is not there once");
  });
});
