/**
 * The tagged form of values that JSON cannot hold, read back: the inverse of what the guest's encoder writes.
 * Makes plain values only; nothing of what is read here is ever called.
 */

import type { JsonValue } from "../types.ts";

/**
 * A value that has no copy outside its program: a function, an accessor, a generator. So too what JavaScript has no type
 * for: Python's complex numbers, Decimal, Fraction, dates, and objects by their repr.
 */
export class Opaque {
  readonly kind: string;
  readonly name: string;

  constructor(kind: string, name: string) {
    this.kind = kind;
    this.name = name;
  }
}

/** Halves are newer than the oldest Node of a host. */
const { Float16Array } = globalThis as unknown as { Float16Array?: Float32ArrayConstructor };

const TYPED_ARRAYS = {
  ...(Float16Array && { Float16Array }),
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
} as const;

type Tagged = { [key: string]: JsonValue };
/** Where a circular reference may point: the values above it, by their path. */
type Ancestors = ReadonlyMap<string, unknown>;

/** The `result` of an observation as JavaScript values: bigint, Date, Map, … Circular references are closed again. */
export function decodeValue(value: JsonValue): unknown {
  return decode(value, [], new Map());
}

function decode(value: JsonValue, path: (string | number)[], above: Ancestors): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return build<unknown[]>(new Array(value.length), path, above, (list, within) => {
      for (const [index, item] of value.entries()) {
        if (isHole(item)) continue;
        list[index] = decode(item, [...path, index], within);
      }
    });
  }
  if (Object.hasOwn(value, "$type")) return decodeTagged(value, path, above);
  return decodeEntries(Object.entries(value), path, above);
}

function build<T>(made: T, path: (string | number)[], above: Ancestors, fill: (made: T, within: Ancestors) => void): T {
  fill(made, new Map(above).set(JSON.stringify(path), made));
  return made;
}

function isHole(value: JsonValue): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && value.$type === "hole";
}

function decodeEntries(entries: [string, JsonValue][], path: (string | number)[], above: Ancestors): unknown {
  return build<object>({}, path, above, (made, within) => {
    for (const [key, item] of entries) {
      const inner = decode(item, [...path, key], within);
      Object.defineProperty(made, key, { value: inner, writable: true, enumerable: true, configurable: true });
    }
  });
}

function decodeTagged(tagged: Tagged, path: (string | number)[], above: Ancestors): unknown {
  const { $type, value = null } = tagged;
  const list = Array.isArray(value) ? value : [];
  switch ($type) {
    case "undefined":
      return undefined;
    case "NaN":
      return Number.NaN;
    case "Infinity":
      return Number.POSITIVE_INFINITY;
    case "-Infinity":
      return Number.NEGATIVE_INFINITY;
    case "-0":
      return -0;
    case "bigint":
      return BigInt(String(value));
    case "symbol":
      return Symbol(tagged.value === undefined ? undefined : String(value));
    case "Date":
      return new Date(value === null ? Number.NaN : String(value));
    case "RegExp":
      return new RegExp(String(tagged.source), String(tagged.flags));
    case "Error":
      return Object.assign(new Error(String(tagged.message)), { name: String(tagged.name) });
    case "object":
      return decodeEntries(list as [string, JsonValue][], path, above);
    case "circular":
      return above.get(JSON.stringify(list));
    case "dict":
    case "Map":
      return build<Map<unknown, unknown>>(new Map(), path, above, (made, within) => {
        for (const [index, entry] of (list as [JsonValue, JsonValue][]).entries()) {
          made.set(decode(entry[0], [...path, index, 0], within), decode(entry[1], [...path, index, 1], within));
        }
      });
    case "set":
    case "frozenset":
    case "Set":
      return build<Set<unknown>>(new Set(), path, above, (made, within) => {
        for (const [index, item] of list.entries()) made.add(decode(item, [...path, index], within));
      });
    case "bytes":
      return Uint8Array.from(list as number[]);
    case "ArrayBuffer":
      return Uint8Array.from(list as number[]).buffer;
    default:
      return decodeTypedArray(String($type), list) ?? new Opaque(String($type), String(tagged.value ?? ""));
  }
}

function decodeTypedArray(name: string, list: JsonValue[]): unknown {
  if (!Object.hasOwn(TYPED_ARRAYS, name)) return undefined;
  const TypedArray = TYPED_ARRAYS[name as keyof typeof TYPED_ARRAYS] as unknown as new (items: unknown[]) => unknown;
  return new TypedArray(list.map((item) => decode(item, [], new Map())));
}
