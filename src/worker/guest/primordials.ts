/**
 * Runs first in every isolate: keeps the built-ins that the guest's wing needs, before a program can replace them.
 * Everything loaded into an isolate is one self-contained strict function: its text is all that crosses.
 */

export type Primordials = ReturnType<typeof capturePrimordials>;

export function capturePrimordials() {
  "use strict";
  type AnyFunction = Function;
  type Uncurried = (self: unknown, ...args: unknown[]) => unknown;
  const { getOwnPropertyDescriptor, ownKeys, construct, apply, getPrototypeOf, deleteProperty, defineProperty } =
    Reflect;
  const uncurryThis = Function.prototype.bind.bind(Function.prototype.call as AnyFunction) as (
    method: AnyFunction,
  ) => Uncurried;
  const getter = (holder: object, key: PropertyKey): Uncurried => {
    const found = getOwnPropertyDescriptor(holder, key)?.get;
    return uncurryThis(found ?? (() => undefined));
  };
  const TypedArrayPrototype = getPrototypeOf(Uint8Array.prototype) as object;
  const NativeError = Error as ErrorConstructor & { isError?: (value: unknown) => boolean };
  const { isError } = NativeError;
  return {
    __proto__: null,
    /** The global object, whatever becomes of the name `globalThis`. */
    scope: globalThis as unknown as Record<string, unknown>,
    uncurryThis,
    getOwnPropertyDescriptor,
    defineProperty,
    deleteProperty,
    ownKeys,
    construct,
    apply,
    getPrototypeOf,
    freeze: Object.freeze,
    createObject: Object.create,
    is: Object.is,
    isArray: Array.isArray,
    objectPrototype: Object.prototype as object,
    arrayPrototype: Array.prototype as object,
    functionPrototype: Function.prototype as object,
    hasOwn: Object.hasOwn,
    quote: JSON.stringify as (text: string) => string,
    parseJson: JSON.parse as (text: string) => unknown,
    Function,
    TypeError,
    EvalError,
    RangeError,
    Date,
    RegExp,
    Error,
    Map,
    Set,
    Uint8Array,
    Promise,
    reject: Promise.reject as AnyFunction,
    then: Promise.prototype.then as AnyFunction,
    toText: String,
    toNumber: Number,
    floor: Math.floor,
    stackOf: getter(new Error("stack"), "stack"),
    tagOf: uncurryThis(Object.prototype.toString),
    typedArrayName: getter(TypedArrayPrototype, Symbol.toStringTag),
    typedArrayLength: getter(TypedArrayPrototype, "length"),
    arrayBufferLength: getter(ArrayBuffer.prototype, "byteLength"),
    arrayBufferSlice: uncurryThis(ArrayBuffer.prototype.slice),
    mapSize: getter(Map.prototype, "size"),
    mapForEach: uncurryThis(Map.prototype.forEach),
    mapGet: uncurryThis(Map.prototype.get),
    mapSet: uncurryThis(Map.prototype.set),
    mapHas: uncurryThis(Map.prototype.has),
    setSize: getter(Set.prototype, "size"),
    setForEach: uncurryThis(Set.prototype.forEach),
    setAdd: uncurryThis(Set.prototype.add),
    dateGetTime: uncurryThis(Date.prototype.getTime),
    dateToIso: uncurryThis(Date.prototype.toISOString),
    regexpSource: getter(RegExp.prototype, "source"),
    regexpFlags: getter(RegExp.prototype, "flags"),
    regexpExec: uncurryThis(RegExp.prototype.exec),
    symbolDescription: getter(Symbol.prototype, "description"),
    bigintToText: uncurryThis(BigInt.prototype.toString),
    numberValue: uncurryThis(Number.prototype.valueOf),
    booleanValue: uncurryThis(Boolean.prototype.valueOf),
    stringValue: uncurryThis(String.prototype.valueOf),
    bigintValue: uncurryThis(BigInt.prototype.valueOf),
    symbolValue: uncurryThis(Symbol.prototype.valueOf),
    charCodeAt: uncurryThis(String.prototype.charCodeAt),
    slice: uncurryThis(String.prototype.slice),
    indexOf: uncurryThis(String.prototype.indexOf),
    fromCharCode: String.fromCharCode,
    isError: (value: unknown): boolean => isError?.(value) ?? value instanceof NativeError,
  };
}
