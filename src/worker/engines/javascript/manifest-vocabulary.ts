/**
 * The names of the language that mean something to the inspector.
 * Lists only; a name that is missing here makes the manifest say less, never more.
 */

/** Make code from text. */
export const CODE_MAKERS: ReadonlySet<string> = new Set([
  "eval",
  "Function",
  "GeneratorFunction",
  "AsyncFunction",
  "AsyncGeneratorFunction",
  "ShadowRealm",
]);

/** Take code as text where their first argument is a string. */
export const TIMERS: ReadonlySet<string> = new Set(["setTimeout", "setInterval", "setImmediate"]);

/** Other names of the global object, here or elsewhere. */
export const GLOBAL_OBJECTS: ReadonlySet<string> = new Set(["globalThis", "window", "self", "global"]);

/** Kept in a list whatever its length: padding must not push them out. */
export const ALWAYS_KEPT: ReadonlySet<string> = new Set([
  ...CODE_MAKERS,
  ...GLOBAL_OBJECTS,
  ..."constructor prototype __proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__".split(" "),
  ..."Reflect require process module fetch WebAssembly getOwnPropertyDescriptor getOwnPropertyDescriptors".split(" "),
]);

/** Functions of Math that give a number whatever they are given. */
export const MATH_FUNCTIONS: ReadonlySet<string> = new Set(
  (
    "abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos cosh exp expm1 f16round floor fround hypot imul " +
    "log log10 log1p log2 max min pow random round sign sin sinh sqrt sumPrecise tan tanh trunc"
  ).split(" "),
);

export const MATH_CONSTANTS: ReadonlySet<string> = new Set("E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2".split(" "));

/** Global functions that give a number or bigint whatever they are given. */
export const NUMBER_FUNCTIONS: ReadonlySet<string> = new Set(["Number", "BigInt", "parseInt", "parseFloat"]);

/** Globals whose value no program can change. */
export const CONSTANT_GLOBALS: ReadonlySet<string> = new Set(["undefined", "NaN", "Infinity"]);

/** `Symbol.iterator` and kin: computed keys that are no names. */
export const KNOWN_SYMBOLS: ReadonlySet<string> = new Set(
  (
    "asyncDispose asyncIterator dispose hasInstance isConcatSpreadable iterator match matchAll replace search species " +
    "split toPrimitive toStringTag unscopables"
  ).split(" "),
);

/** A name that its author marks as private; a lone `_` is the usual name of what is not used. */
export function isPrivateName(name: string): boolean {
  return name.startsWith("_") && name !== "_";
}
