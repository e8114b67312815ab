/**
 * The names a program finds in its global scope, by allowlist: what V8 adds tomorrow is not there until it is listed.
 * Must run after the primordials are captured and before any program.
 */

import type { Primordials } from "./primordials.ts";

/** Globals of the language itself that stay. Absent on purpose: Atomics, SharedArrayBuffer, WebAssembly, WeakRef, FinalizationRegistry. */
export const LANGUAGE_GLOBALS: readonly string[] = [
  ..."AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView Date".split(
    " ",
  ),
  ..."DisposableStack Error EvalError Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array".split(
    " ",
  ),
  ..."Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp".split(
    " ",
  ),
  ..."Set String SuppressedError Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array".split(" "),
  ..."Uint8ClampedArray WeakMap WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval".split(
    " ",
  ),
  ..."globalThis isFinite isNaN parseFloat parseInt undefined unescape".split(" "),
];

/** Globals that the guest's wing defines (Temporal only where the engine has it): what models expect, and what is harmless. */
export const PROVIDED_GLOBALS: readonly string[] =
  "Temporal TextDecoder TextEncoder URL URLSearchParams atob btoa clearImmediate clearInterval clearTimeout console performance queueMicrotask setImmediate setInterval setTimeout structuredClone".split(
    " ",
  );

/** @param allowed an object with no prototype and a key for each language global that stays */
export function createGlobals(p: Primordials, allowed: Readonly<Record<PropertyKey, true>>) {
  "use strict";
  const { scope } = p;
  let hasTemporal = false;
  const names = p.ownKeys(scope);
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    if (name === "Temporal") hasTemporal = true;
    if (allowed[name] !== true) p.deleteProperty(scope, name);
  }

  const define = (name: string, value: unknown, holder: object = scope): void => {
    p.defineProperty(holder, name, {
      __proto__: null,
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    } as PropertyDescriptor);
  };

  /** Defined when first read: most programs touch few of these. */
  const defineLazy = (name: string, make: () => unknown): void => {
    p.defineProperty(scope, name, {
      __proto__: null,
      configurable: true,
      enumerable: false,
      get() {
        const value = make();
        define(name, value);
        return value;
      },
      set(value: unknown) {
        define(name, value);
      },
    } as PropertyDescriptor);
  };

  // Resizable buffers are memory that the isolate's limit does not count.
  const NativeArrayBuffer = ArrayBuffer;
  const FixedArrayBuffer = function ArrayBuffer(length: number) {
    if (new.target === undefined) throw new p.TypeError("Constructor ArrayBuffer requires 'new'");
    return p.construct(NativeArrayBuffer, [length], new.target);
  };
  define("isView", NativeArrayBuffer.isView, FixedArrayBuffer);
  p.defineProperty(FixedArrayBuffer, "prototype", {
    __proto__: null,
    value: NativeArrayBuffer.prototype,
    writable: false,
  } as PropertyDescriptor);
  define("constructor", FixedArrayBuffer, NativeArrayBuffer.prototype);
  define("ArrayBuffer", FixedArrayBuffer);
  for (const name of ["resize", "resizable", "maxByteLength", "transfer", "transferToFixedLength", "detached"]) {
    p.deleteProperty(NativeArrayBuffer.prototype, name);
  }

  /** With dynamic code denied no text becomes code: `eval` and three constructors go, `Function` refuses. */
  const removeDynamicCode = (): void => {
    p.deleteProperty(scope, "eval");
    const prototypes = [async () => {}, function* () {}, async function* () {}];
    for (let index = 0; index < prototypes.length; index++) {
      p.deleteProperty(p.getPrototypeOf(prototypes[index] as object) as object, "constructor");
    }
    const Refused = function Function() {
      throw new p.EvalError("Making code from text is denied by the policy.");
    };
    p.defineProperty(Refused, "prototype", {
      __proto__: null,
      value: p.functionPrototype,
      writable: false,
    } as PropertyDescriptor);
    define("constructor", Refused, p.functionPrototype);
    if (p.hasOwn(scope, "Function")) define("Function", Refused);
  };

  /** What an allowlist took away, for the guest's own library: no program reaches it. */
  const hidden = p.createObject(null) as Record<string, unknown>;
  const keepOnly = (names: readonly string[]): void => {
    const kept = new p.Set<PropertyKey>(names);
    for (const key of p.ownKeys(scope) as string[]) {
      if (kept.has(key)) continue;
      const found = p.getOwnPropertyDescriptor(scope, key);
      if (found && p.hasOwn(found, "value")) hidden[key] = found.value;
      p.deleteProperty(scope, key);
    }
  };

  return { define, defineLazy, removeDynamicCode, keepOnly, hidden, hasTemporal };
}
