/**
 * The tagged form read back. What a real engine writes is read in conformance/; here the reader stands alone,
 * also before a form that no honest encoder writes.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeValue, Opaque } from "../../src/protocol/values.ts";
import type { JsonValue } from "../../src/types.ts";

function tag(type: string, value?: JsonValue): JsonValue {
  return value === undefined ? { $type: type } : { $type: type, value };
}

describe("a tagged value", () => {
  it.each<[JsonValue, unknown]>([
    [tag("undefined"), undefined],
    [tag("NaN"), Number.NaN],
    [tag("Infinity"), Number.POSITIVE_INFINITY],
    [tag("-Infinity"), Number.NEGATIVE_INFINITY],
    [tag("-0"), -0],
    [tag("bigint", "-123456789012345678901234567890"), -123456789012345678901234567890n],
    [tag("Date", "2020-02-30T00:00:00.000Z"), new Date("2020-02-30T00:00:00.000Z")],
    [tag("Date", "2020-01-02T03:04:05.006Z"), new Date(Date.UTC(2020, 0, 2, 3, 4, 5, 6))],
    [{ $type: "RegExp", source: "a/b", flags: "gu" }, /a\/b/gu],
    [tag("Map", [[1, tag("Map", [["a", 2]])]]), new Map([[1, new Map([["a", 2]])]])],
    [tag("Set", [tag("NaN"), 1]), new Set([Number.NaN, 1])],
    [tag("Uint8Array", [1, 255]), Uint8Array.of(1, 255)],
    [tag("Float64Array", [tag("-0"), tag("NaN"), 1.5]), Float64Array.of(-0, Number.NaN, 1.5)],
    [tag("BigInt64Array", [tag("bigint", "-1")]), BigInt64Array.of(-1n)],
    [tag("ArrayBuffer", [1, 2]), Uint8Array.of(1, 2).buffer],
    [tag("bytes", [1, 255]), Uint8Array.of(1, 255)],
    [tag("dict", [[1, tag("set", [2])]]), new Map([[1, new Set([2])]])],
    [tag("frozenset", ["a"]), new Set(["a"])],
    [tag("Decimal", "1.10"), new Opaque("Decimal", "1.10")],
    [
      tag("object", [
        ["$type", "bigint"],
        ["value", "1"],
      ]),
      { $type: "bigint", value: "1" },
    ],
    [
      [1, tag("hole"), 3],
      [1, , 3],
    ],
  ])("%j is read as what it was", (tagged, value) => {
    expect(decodeValue(tagged)).toStrictEqual(value);
  });

  it.skipIf(!("Float16Array" in globalThis))(
    "of halves is read as what it was, where the host has such an array",
    () => {
      expect(Object.prototype.toString.call(decodeValue(tag("Float16Array", [1, 0.5])))).toBe("[object Float16Array]");
    },
  );

  it("of an invalid date is an invalid date", () => {
    expect(decodeValue(tag("Date", null))).toEqual(new Date(Number.NaN));
  });

  it("of an error has its name and message", () => {
    const error = decodeValue({ $type: "Error", name: "RangeError", message: "m" });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: "RangeError", message: "m" });
  });

  it("of a symbol has its description, or none", () => {
    expect(String(decodeValue(tag("symbol", "s")))).toBe("Symbol(s)");
    expect((decodeValue(tag("symbol")) as symbol).description).toBe(undefined);
  });

  it.each([
    ["function", "f"],
    ["opaque", "Generator"],
    ["accessor", ""],
    ["something new", ""],
  ])("of kind %s, which has no copy here, is opaque", (kind, name) => {
    expect(decodeValue(tag(kind, name))).toEqual(new Opaque(kind, name));
  });
});

describe("a circular reference", () => {
  it("is closed again, wherever it points", () => {
    const list = decodeValue([tag("circular", [])]) as unknown[];
    expect(list[0]).toBe(list);
    const nested = decodeValue({ a: { b: tag("circular", ["a"]) } }) as { a: { b: unknown } };
    expect(nested.a.b).toBe(nested.a);
    const map = decodeValue(tag("Map", [["k", [tag("circular", [0, 1])]]])) as Map<string, unknown[]>;
    expect(map.get("k")?.[0]).toBe(map.get("k"));
    const set = decodeValue(tag("Set", [tag("circular", [])])) as Set<unknown>;
    expect(set.has(set)).toBe(true);
  });

  it("to nowhere is undefined", () => {
    expect(decodeValue({ a: tag("circular", ["b"]) })).toEqual({ a: undefined });
  });
});

describe("plain JSON", () => {
  it("is itself", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes("$type"));
        expect(decodeValue(value as JsonValue)).toEqual(value);
      }),
    );
  });

  it("with an own __proto__ makes an own key, and no prototype", () => {
    const decoded = decodeValue(tag("object", [["__proto__", { polluted: true }]])) as object;
    expect(Object.hasOwn(decoded, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
    expect((decoded as { polluted?: boolean }).polluted).toBe(undefined);
  });

  it("of any shape, tagged by anyone, leaves the host's prototypes alone", () => {
    const before = Reflect.ownKeys(Object.prototype).length;
    const tags = ["object", "Map", "Set", "Error", "circular", "hole", "Uint8Array", "__proto__", "constructor"];
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, 1, "__proto__", "constructor"),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.record({ $type: fc.constantFrom(...tags), value: tie("value") }, { requiredKeys: ["$type"] }),
        fc.dictionary(fc.constantFrom("__proto__", "constructor", "a"), tie("value"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(value, (hostile) => {
        try {
          decodeValue(hostile as JsonValue);
        } catch {
          // Refusing is as good as reading: only the host's own objects matter here.
        }
        expect(Reflect.ownKeys(Object.prototype)).toHaveLength(before);
      }),
    );
  });
});
