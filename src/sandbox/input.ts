/**
 * The caller's `input` as JSON. What JSON would drop or turn into something else without a word is refused by its place.
 * Dates and whatever else has a `toJSON` are what that makes of them; properties that are undefined are left out.
 */

import { types } from "node:util";
import { SandboxError } from "../errors.ts";
import { showValue } from "../options-check.ts";

const LOST_AS_OBJECT: readonly [isOne: (value: unknown) => boolean, name: string][] = [
  [types.isMap, "a Map"],
  [types.isSet, "a Set"],
  [types.isWeakMap, "a WeakMap"],
  [types.isWeakSet, "a WeakSet"],
  [types.isRegExp, "a RegExp"],
  [types.isPromise, "a Promise"],
  [types.isNativeError, "an Error"],
  [types.isAnyArrayBuffer, "an ArrayBuffer"],
  [ArrayBuffer.isView, "a typed array"],
];

/** What `value` is, where JSON cannot hold it; undefined where it can. */
function findLoss(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : String(value);
  if (typeof value === "bigint") return "a bigint";
  if (typeof value === "function" || typeof value === "symbol") return showValue(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return LOST_AS_OBJECT.find(([isOne]) => isOne(value))?.[1];
}

/** Of a path, the end: what stands before it is rarely what one looks for. */
const KEYS_SHOWN = 8;

function showPath(keys: readonly string[]): string {
  const shown = keys.slice(-KEYS_SHOWN).map((key) => showValue(key));
  return [...(keys.length > KEYS_SHOWN ? ["…"] : []), ...shown].join(".");
}

function fail(where: string, given: string, cause?: unknown): never {
  const text = `${where === "" ? "input" : `input, at ${where}`}: expected a value that JSON can hold, got ${given}`;
  throw new SandboxError("INVALID_OPTIONS", `run: ${text}`, { cause });
}

/**
 * Null where there is no input.
 * @throws SandboxError INVALID_OPTIONS
 */
export function encodeInput(input: unknown): string | null {
  if (input === undefined) return null;
  // The objects on the way to where the encoder is, each with the key that it has in the one before.
  const way: { holder: unknown; key: string }[] = [];
  try {
    const json = JSON.stringify(input, function (this: unknown, key, value: unknown) {
      while (way.length > 0 && way.at(-1)?.holder !== this) way.pop();
      const loss = findLoss(value);
      const isRoot = way.length === 0;
      if (loss !== undefined) fail(isRoot ? "" : showPath([...way.slice(1).map((one) => one.key), key]), loss);
      if (typeof value === "object" && value !== null) way.push({ holder: value, key });
      return value;
    });
    return json ?? fail("", showValue(input));
  } catch (cause) {
    if (cause instanceof SandboxError) throw cause;
    fail("", "one that it cannot", cause);
  }
}

/** What is wrong with it, in words; null where JSON can hold it. */
export function findInputFault(input: unknown): string | null {
  try {
    encodeInput(input);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^run: /, "") : String(error);
  }
}
