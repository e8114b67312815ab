/**
 * The names that a program finds in its global scope, pinned one by one: what a new engine brings is not there
 * until somebody has looked at it and put it on the list, here and in the product.
 */

import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { findWorkerNode } from "../../src/sandbox/worker-node.ts";
import { LANGUAGE_GLOBALS, PROVIDED_GLOBALS } from "../../src/worker/guest/globals.ts";
import { TEST_NODE, useSandbox } from "../fixtures/use-sandbox.ts";

const inUse = useSandbox();
const { run } = inUse;

const PINNED = [
  ..."AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean".split(" "),
  ..."DataView Date DisposableStack Error EvalError Float16Array Float32Array Float64Array Function".split(" "),
  ..."Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise".split(" "),
  ..."Proxy RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError".split(" "),
  ..."Temporal TextDecoder TextEncoder TypeError URIError URL URLSearchParams Uint16Array Uint32Array".split(" "),
  ..."Uint8Array Uint8ClampedArray WeakMap WeakSet atob btoa clearImmediate clearInterval".split(" "),
  ..."clearTimeout console decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval".split(" "),
  ..."globalThis isFinite isNaN parseFloat parseInt performance queueMicrotask setImmediate".split(" "),
  ..."setInterval setTimeout structuredClone undefined unescape".split(" "),
];

/** Node 24's engine has no Temporal; everything else is there in every engine that is supported. */
const expected = async (): Promise<string[]> => {
  const { workerNode } = await inUse.sandbox.report();
  return Number(workerNode.split(".")[0]) >= 26 ? PINNED : PINNED.filter((name) => name !== "Temporal");
};

it("is asked of the Node that the suites are run for", async () => {
  const version = execFileSync(TEST_NODE ?? findWorkerNode(null).path, ["--version"], { encoding: "utf8" });
  expect(`v${(await inUse.sandbox.report()).workerNode}`).toBe(version.trim());
});

describe("the global scope of a program", () => {
  it("holds exactly the names that are pinned", async () => {
    const { result } = await run("Reflect.ownKeys(globalThis).map(String).sort()");
    expect(result).toEqual((await expected()).sort());
  });

  it("holds exactly the names that the product lists", () => {
    expect([...LANGUAGE_GLOBALS, ...PROVIDED_GLOBALS].sort()).toEqual([...PINNED].sort());
    expect(LANGUAGE_GLOBALS.filter((name) => PROVIDED_GLOBALS.includes(name))).toEqual([]);
  });

  it("hides no further name behind it", async () => {
    const { result } = await run(`
      const names = [];
      for (let holder = Object.getPrototypeOf(globalThis); holder && holder !== Object.prototype; holder = Object.getPrototypeOf(holder)) {
        names.push(...Reflect.ownKeys(holder).map(String).filter((name) => name !== "constructor"));
      }
      names`);
    expect(result).toEqual([]);
  });

  it("enumerates nothing", async () => {
    expect(await run("const names = []; for (const name in globalThis) names.push(name); names")).toMatchObject({
      result: [],
    });
  });

  it("holds them all once more after each was read, which makes some of them", async () => {
    const { result } = await run(`
      for (const name of Reflect.ownKeys(globalThis)) globalThis[name];
      Reflect.ownKeys(globalThis).map(String).sort()`);
    expect(result).toEqual((await expected()).sort());
  });

  it("lacks, beside the names, the members that memory is taken by", async () => {
    const { result } = await run(`[
      Object.getOwnPropertyNames(ArrayBuffer).sort(), Object.getOwnPropertyNames(ArrayBuffer.prototype).sort(),
      "fromAsync" in Array, typeof Intl.v8BreakIterator, typeof Error.captureStackTrace]`);
    const [own, onPrototype] = result as [string[], string[]];
    expect(own).toEqual(["isView", "length", "name", "prototype"]);
    expect(onPrototype).toEqual(["byteLength", "constructor", "slice"]);
  });
});
