/**
 * Values out of a real engine and back: any value, written as source, run, decoded, is the value again.
 * What JSON cannot hold is tagged, and an object that looks like a tag is told from one.
 */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeValue, Opaque } from "../../src/protocol/values.ts";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const { run } = useSandbox();

/** A value, and the source of an expression that makes it. */
interface Written {
  readonly source: string;
  readonly value: unknown;
}

function written(source: string, value: unknown): Written {
  return { source, value };
}

const quote = (text: string): string => JSON.stringify(text);
const list = (items: readonly Written[]): string => items.map(({ source }) => source).join(", ");
const values = (items: readonly Written[]): unknown[] => items.map(({ value }) => value);

function writeNumber(number: number): Written {
  return written(Object.is(number, -0) ? "-0" : `${number}`, number);
}

function makeObject(entries: readonly (readonly [string, Written])[]): Written {
  const unique = [...new Map(entries)];
  // A computed key is an own key, also where it is __proto__.
  return written(
    `{ ${unique.map(([key, { source }]) => `[${quote(key)}]: ${source}`).join(", ")} }`,
    unique.reduce<object>(
      (made, [key, { value }]) =>
        Object.defineProperty(made, key, { value, writable: true, enumerable: true, configurable: true }),
      {},
    ),
  );
}

const TYPED_ARRAYS = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array];

const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "\ud800", "a\udfffb", "\u2028", "😀", "\0"));
const key = fc.oneof(text, fc.constantFrom("$type", "__proto__", "constructor", "toJSON", "value", "0", "-1"));
const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, Number.NaN, Infinity, -Infinity, 5e-324));
const primitive: fc.Arbitrary<Written> = fc.oneof(
  fc.constantFrom(null, undefined, true, false).map((value) => written(`${value}`, value)),
  number.map(writeNumber),
  text.map((value) => written(quote(value), value)),
  fc.bigInt().map((value) => written(`${value}n`, value)),
);
const exotic: fc.Arbitrary<Written> = fc.oneof(
  fc.date({ noInvalidDate: false }).map((date) => written(`new Date(${date.getTime()})`, date)),
  fc.constantFrom(/a/g, /[/\]]+(?<n>\d)\n/dimsuy, new RegExp("")).map((value) => written(String(value), value)),
  fc
    .array(fc.integer())
    .chain((items) =>
      fc
        .constantFrom(...TYPED_ARRAYS)
        .map((Typed) => written(`new ${Typed.name}([${items.join(", ")}])`, new Typed(items))),
    ),
  fc
    .array(number)
    .map((items) => written(`new Float64Array([${list(items.map(writeNumber))}])`, new Float64Array(items))),
  fc
    .array(fc.bigInt({ min: -5n, max: 5n }))
    .map((items) =>
      written(`new BigInt64Array([${items.map((item) => `${item}n`).join(", ")}])`, new BigInt64Array(items)),
    ),
  fc
    .uint8Array({ maxLength: 20 })
    .map((bytes) => written(`new Uint8Array([${[...bytes].join(", ")}]).buffer`, Uint8Array.from(bytes).buffer)),
);

/** One object drawn twice is two objects once it is written as source: a Map or Set would tell them apart. */
function hasNoTwins(drawn: readonly unknown[]): boolean {
  const objects = drawn.filter((value) => typeof value === "object" && value !== null);
  return new Set(objects).size === objects.length;
}

const { any } = fc.letrec<{ any: Written }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    primitive,
    exotic,
    fc.array(tie("any"), { maxLength: 5 }).map((items) => written(`[${list(items)}]`, values(items))),
    fc.array(tie("any"), { minLength: 1, maxLength: 3 }).map((items) => {
      // A hole before each: an array that has gaps, also at its end.
      const value: unknown[] = new Array(2 * items.length + 1);
      for (const [index, item] of items.entries()) value[2 * index + 1] = item.value;
      return written(`[, ${items.map(({ source }) => `${source}, ,`).join(" ")}]`, value);
    }),
    fc.array(fc.tuple(key, tie("any")), { maxLength: 5 }).map(makeObject),
    fc
      .array(fc.tuple(tie("any"), tie("any")), { maxLength: 4 })
      .filter((pairs) => hasNoTwins(pairs.map(([key]) => key.value)))
      .map((pairs) =>
        written(
          `new Map([${pairs.map((pair) => `[${list(pair)}]`).join(", ")}])`,
          new Map(pairs.map(([k, v]) => [k.value, v.value] as const)),
        ),
      ),
    fc
      .array(tie("any"), { maxLength: 4 })
      .filter((items) => hasNoTwins(values(items)))
      .map((items) => written(`new Set([${list(items)}])`, new Set(values(items)))),
  ),
}));

describe("any value", () => {
  it("is the same after a run, the wire and decoding", async () => {
    await fc.assert(
      fc.asyncProperty(any, async ({ source, value }) => {
        const observation = await run(`return (${source})`, { limits: { sourceChars: 100_000 } });
        expect(observation).toMatchObject({ ok: true });
        // Not toStrictEqual: it is misled by an own key `constructor`.
        expect(isDeepStrictEqual(decodeValue(observation.result ?? null), value)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("is one line of plain JSON on the way", async () => {
    await fc.assert(
      fc.asyncProperty(any, async ({ source }) => {
        const { result } = await run(`return [${source}]`, { limits: { sourceChars: 100_000 } });
        expect(isDeepStrictEqual(JSON.parse(JSON.stringify(result)), result)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });
});

describe("a tag", () => {
  it("of the guest is told from a real one", async () => {
    const observation = await run('[{ $type: "bigint", value: "1" }, 1n]');
    expect(observation.result).toEqual([
      {
        $type: "object",
        value: [
          ["$type", "bigint"],
          ["value", "1"],
        ],
      },
      { $type: "bigint", value: "1" },
    ]);
    expect(decodeValue(observation.result ?? null)).toStrictEqual([{ $type: "bigint", value: "1" }, 1n]);
  });

  it.each<[source: string, result: unknown]>([
    ["return undefined", { $type: "undefined" }],
    ["return", { $type: "undefined" }],
    ["Symbol('s')", { $type: "symbol", value: "s" }],
    ["Symbol()", { $type: "symbol" }],
    ["(function f() {})", { $type: "function", value: "f" }],
    ["class A {}; A", { $type: "function", value: "A" }],
    ["new RangeError('m')", { $type: "Error", name: "RangeError", message: "m" }],
    ["class E extends Error {}; new E('m')", { $type: "Error", name: "E", message: "m" }],
    ["new Date(NaN)", { $type: "Date", value: null }],
    ["new Date(8.64e15)", { $type: "Date", value: "+275760-09-13T00:00:00.000Z" }],
    ["new Number(1)", 1],
    ["new String('s')", "s"],
    ["Object(1n)", { $type: "bigint", value: "1" }],
    ["({ get a() { throw 1 } })", { a: { $type: "accessor" } }],
    ["(function* () {})()", { $type: "opaque", value: "Generator" }],
    ["new WeakMap()", { $type: "opaque", value: "WeakMap" }],
    ["(function () { return arguments })(1, 2)", { 0: 1, 1: 2 }],
    ["Object.create(null)", {}],
    ["Object.assign(Object.create({ up: 1 }), { own: 2 })", { own: 2 }],
    ["class P { #hidden = 1; shown = 2; get computed() { return 3 } }; new P()", { shown: 2 }],
    ["({ a: 1, [Symbol('s')]: 2 })", { a: 1 }],
    ["Object.defineProperty({ a: 1 }, 'hidden', { value: 2 })", { a: 1 }],
    ["[, 1]", [{ $type: "hole" }, 1]],
    ["JSON.parse('{\"__proto__\": 1}')", { $type: "object", value: [["__proto__", 1]] }],
  ])("of %s is as it is documented", async (source, result) => {
    const observation = await run(source);
    expect(observation).toMatchObject({ ok: true });
    expect(observation.result).toStrictEqual(result);
  });

  it("of what has no copy is opaque to the decoder", async () => {
    const { result } = await run("[() => 1, (function* () {})()]");
    expect(decodeValue(result ?? null)).toEqual([new Opaque("function", ""), new Opaque("opaque", "Generator")]);
  });

  it("of halves comes back as halves, where the host has such an array", async ({ skip }) => {
    if (!("Float16Array" in globalThis)) skip();
    const { result } = await run("new Float16Array([0.5, 1])");
    expect(Object.prototype.toString.call(decodeValue(result ?? null))).toBe("[object Float16Array]");
  });
});

describe("a circular reference", () => {
  it.each<[source: string, isClosed: (value: never) => boolean]>([
    ["const o = {}; o.self = o; o", (o: { self: unknown }) => o.self === o],
    ["const o = { a: { $type: 1 } }; o.a.up = o; o", (o: { a: { up: unknown } }) => o.a.up === o],
    ["const a = [[]]; a[0][0] = a; a", (a: [[unknown]]) => a[0][0] === a],
    ["const m = new Map(); m.set('k', { m }); m", (m: Map<string, { m: unknown }>) => m.get("k")?.m === m],
    ["const s = new Set(); s.add([s]); s", (s: Set<[unknown]>) => [...s][0]?.[0] === s],
    ["const o = { in: {} }; o.in.it = o.in; o", (o: { in: { it: unknown } }) => o.in.it === o.in],
    ["const o = {}; o['a\"b'] = { o }; o", (o: Record<string, { o: unknown }>) => o['a"b']?.o === o],
  ])("is closed again: %s", async (source, isClosed) => {
    const { result } = await run(source);
    expect(isClosed(decodeValue(result ?? null) as never)).toBe(true);
  });

  it("is none where one value only stands in two places", async () => {
    expect(await run("const a = { n: 1 }; [a, a]")).toMatchObject({ result: [{ n: 1 }, { n: 1 }] });
  });
});

describe("a value too large or too deep", () => {
  it.each([
    "new Array(5e7)",
    "Array.from({ length: 1e5 }, (_, index) => index)",
    "'x'.repeat(1e6)",
    "new Uint8Array(1e6)",
    "new Map(Array.from({ length: 1e5 }, (_, index) => [index, index]))",
    "Object.fromEntries(Array.from({ length: 1e5 }, (_, index) => [index, index]))",
    "2n ** 400000n",
    "let nested = 1; for (let depth = 0; depth < 300; depth++) nested = [nested]; nested",
    "let twice = 'x'; for (let n = 0; n < 40; n++) twice = [twice, twice]; twice",
    "new RegExp('x'.repeat(1e5))",
    "Symbol('x'.repeat(1e5))",
    "new Error('x'.repeat(1e5))",
    "({ ['x'.repeat(1e5)]: 1 })",
    "'é'.repeat(40_000)",
  ])("is output_limit, never a result that was cut: %s", async (source) => {
    expect(await run(source)).toMatchObject({ status: "output_limit", error: "OutputLimit" });
  });

  it("may be 150 levels deep", async () => {
    const { result } = await run("let nested = 1; for (let depth = 0; depth < 150; depth++) nested = [nested]; nested");
    expect(JSON.stringify(result)).toBe(`${"[".repeat(150)}1${"]".repeat(150)}`);
  });
});
