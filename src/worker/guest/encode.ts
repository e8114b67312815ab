/**
 * A value as one capped string of JSON, made inside the isolate under its time limit: nothing else of it crosses.
 * Reads own data properties only; what JSON cannot hold is tagged with `$type`, and a real `$type` key is escaped.
 */

import type { Primordials } from "./primordials.ts";

export function createEncoder(p: Primordials) {
  "use strict";
  interface Step {
    value: object;
    key: string;
    up: Step | null;
  }
  const MAX_DEPTH = 200;
  const TOO_LARGE = p.createObject(null) as { reason: string };
  let out = "";
  let max = 0;

  const stop = (reason: string): never => {
    TOO_LARGE.reason = reason;
    throw TOO_LARGE;
  };
  const tooLong = (): never => stop(`The result is larger than ${max} bytes.`);
  const put = (text: string): void => {
    if (out.length + text.length > max) tooLong();
    out += text;
  };
  const putText = (text: string): void => {
    if (text.length > max) tooLong();
    put(p.quote(text));
  };
  const putTag = (type: string): void => {
    put('{"$type":');
    putText(type);
  };
  const attempt = (method: (self: unknown, ...args: unknown[]) => unknown, value: unknown): unknown => {
    try {
      return method(value);
    } catch {
      return undefined;
    }
  };
  const dataOf = (holder: object, key: PropertyKey): unknown => {
    const found = p.getOwnPropertyDescriptor(holder, key);
    return found !== undefined && p.hasOwn(found, "value") ? found.value : undefined;
  };

  const writeBigint = (value: bigint): void => {
    // Hexadecimal takes linear time; decimal does not, and nothing could interrupt it.
    if ((p.bigintToText(value, 16) as string).length > max) tooLong();
    putTag("bigint");
    put(`,"value":"${p.bigintToText(value)}"}`);
  };
  const writePrimitive = (value: unknown): void => {
    if (typeof value === "string") putText(value);
    else if (value === null) put("null");
    else if (value === undefined) put('{"$type":"undefined"}');
    else if (typeof value === "boolean") put(value ? "true" : "false");
    else if (typeof value === "bigint") writeBigint(value);
    else if (typeof value === "symbol") {
      putTag("symbol");
      const description = p.symbolDescription(value);
      if (description !== undefined) {
        put(',"value":');
        putText(description as string);
      }
      put("}");
    } else if (value !== value) put('{"$type":"NaN"}');
    else if (p.is(value, -0)) put('{"$type":"-0"}');
    else if (value === Infinity) put('{"$type":"Infinity"}');
    else if (value === -Infinity) put('{"$type":"-Infinity"}');
    else put(`${value as number}`);
  };
  const writePath = (step: Step): void => {
    if (step.up === null) return;
    writePath(step.up);
    if (out[out.length - 1] !== "[") put(",");
    put(step.key);
  };
  const writeList = (value: object, length: number, step: Step): void => {
    if (length * 2 > max) tooLong();
    put("[");
    for (let index = 0; index < length; index++) {
      if (index > 0) put(",");
      writeProperty(value, index, `${index}`, step);
    }
    put("]");
  };
  const writeProperty = (holder: object, key: PropertyKey, shownKey: string, step: Step): void => {
    const found = p.getOwnPropertyDescriptor(holder, key);
    if (found === undefined) put('{"$type":"hole"}');
    else if (p.hasOwn(found, "value")) write(found.value, shownKey, step);
    else put('{"$type":"accessor"}');
  };
  const writePlain = (value: object, step: Step): void => {
    const keys = p.ownKeys(value);
    let escaped = false;
    for (let index = 0; index < keys.length; index++) {
      if (keys[index] === "$type" || keys[index] === "__proto__") escaped = true;
    }
    put(escaped ? '{"$type":"object","value":[' : "{");
    let isFirst = true;
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index];
      if (typeof key !== "string" || !p.getOwnPropertyDescriptor(value, key)?.enumerable) continue;
      if (!isFirst) put(",");
      isFirst = false;
      if (escaped) put("[");
      putText(key);
      put(escaped ? "," : ":");
      writeProperty(value, key, p.quote(key), step);
      if (escaped) put("]");
    }
    put(escaped ? "]}" : "}");
  };
  const writeBytes = (type: string, value: object, length: number, step: Step): void => {
    putTag(type);
    put(',"value":');
    writeList(value, length, step);
    put("}");
  };
  const writeCollection = (type: "Map" | "Set", value: object, step: Step): void => {
    putTag(type);
    put(',"value":[');
    let index = 0;
    const each = type === "Map" ? p.mapForEach : p.setForEach;
    each(value, (item: unknown, key: unknown) => {
      if (index > 0) put(",");
      if (type === "Map") {
        put("[");
        write(key, `${index},0`, step);
        put(",");
        write(item, `${index},1`, step);
        put("]");
      } else write(item, `${index}`, step);
      index++;
    });
    put("]}");
  };
  /** Objects with something inside that properties do not show. False where there is nothing of the kind. */
  const writeExotic = (value: object, step: Step): boolean => {
    const typed = p.typedArrayName(value);
    if (typeof typed === "string") {
      writeBytes(typed, value, p.typedArrayLength(value) as number, step);
      return true;
    }
    if (p.isError(value)) {
      putTag("Error");
      put(',"name":');
      putText(nameOf(value));
      put(',"message":');
      const message = dataOf(value, "message");
      putText(typeof message === "string" ? message : "");
      put("}");
      return true;
    }
    if (attempt(p.mapSize, value) !== undefined) writeCollection("Map", value, step);
    else if (attempt(p.setSize, value) !== undefined) writeCollection("Set", value, step);
    else {
      const time = attempt(p.dateGetTime, value);
      const bytes = time === undefined ? attempt(p.arrayBufferLength, value) : undefined;
      if (time !== undefined)
        put(time === time ? `{"$type":"Date","value":"${p.dateToIso(value)}"}` : '{"$type":"Date","value":null}');
      else if (bytes !== undefined)
        writeBytes("ArrayBuffer", new p.Uint8Array(value as ArrayBuffer), bytes as number, step);
      else return writeTagged(value, step);
    }
    return true;
  };
  const writeTagged = (value: object, step: Step): boolean => {
    const tag = p.tagOf(value) as string;
    if (tag === "[object RegExp]") {
      const source = attempt(p.regexpSource, value);
      const flags = attempt(p.regexpFlags, value);
      if (typeof source === "string" && typeof flags === "string") {
        putTag("RegExp");
        put(',"source":');
        putText(source);
        put(`,"flags":${p.quote(flags)}}`);
        return true;
      }
    }
    const boxed =
      attempt(p.numberValue, value) ??
      attempt(p.stringValue, value) ??
      attempt(p.booleanValue, value) ??
      attempt(p.bigintValue, value) ??
      attempt(p.symbolValue, value);
    if (boxed !== undefined) {
      write(boxed, "", step);
      return true;
    }
    if (tag === "[object Object]" || tag === "[object Arguments]" || p.ownKeys(value).length > 0) return false;
    putTag("opaque");
    put(',"value":');
    putText(p.slice(tag, 8, -1) as string);
    put("}");
    return true;
  };
  const write = (value: unknown, key: string, up: Step | null): void => {
    if (typeof value === "function") {
      putTag("function");
      const name = dataOf(value, "name");
      put(`,"value":${p.quote(typeof name === "string" ? (p.slice(name, 0, 200) as string) : "")}}`);
      return;
    }
    if (typeof value !== "object" || value === null) return writePrimitive(value);
    const step = { __proto__: null, value, key, up } as unknown as Step;
    let depth = 0;
    for (let above = up; above !== null; above = above.up) {
      if (above.value === value) {
        put('{"$type":"circular","value":[');
        writePath(above);
        put("]}");
        return;
      }
      if (++depth > MAX_DEPTH) stop(`The result is nested deeper than ${MAX_DEPTH} levels.`);
    }
    if (p.isArray(value)) return writeList(value, dataOf(value, "length") as number, step);
    const prototype = p.getPrototypeOf(value);
    if (prototype !== null && prototype !== p.objectPrototype && writeExotic(value, step)) return;
    writePlain(value, step);
  };

  /** The exception type as a person knows it: an own name, else the class. Data properties only. */
  const nameOf = (value: object): string => {
    const own = dataOf(value, "name");
    if (typeof own === "string" && own !== "") return p.slice(own, 0, 100) as string;
    let holder: object | null = value;
    for (let step = 0; holder !== null && step < 50; step++) {
      const maker = dataOf(holder, "constructor");
      const name = typeof maker === "function" ? dataOf(maker, "name") : undefined;
      if (typeof name === "string" && name !== "") return p.slice(name, 0, 100) as string;
      holder = p.getPrototypeOf(holder);
    }
    return "Object";
  };
  const showThrown = (thrown: unknown): string => {
    if (typeof thrown === "string") return p.slice(thrown, 0, 1000) as string;
    if (typeof thrown === "symbol") return `Symbol(${p.slice((p.symbolDescription(thrown) ?? "") as string, 0, 1000)})`;
    // Hexadecimal: linear in its size, as decimal is not.
    if (typeof thrown === "bigint") return `0x${p.slice(p.bigintToText(thrown, 16) as string, 0, 1000)}n`;
    if (typeof thrown === "function") return "a function";
    if (p.is(thrown, -0)) return "-0";
    return `${thrown as number | boolean | null | undefined}`;
  };
  const describe = (thrown: unknown): { name: string; message: string; stack: string } => {
    if (typeof thrown !== "object" || thrown === null)
      return { name: "Uncaught", message: showThrown(thrown), stack: "" };
    const message = dataOf(thrown, "message");
    const stack = p.isError(thrown) ? attempt(p.stackOf, thrown) : undefined;
    return {
      name: nameOf(thrown),
      message: typeof message === "string" ? (p.slice(message, 0, 1000) as string) : "",
      stack: typeof stack === "string" ? (p.slice(stack, 0, 8000) as string) : "",
    };
  };

  return {
    /** "R" and the JSON, or "O" and why it is too large. */
    value: (value: unknown, maxChars: number): string => {
      out = "";
      max = maxChars;
      try {
        write(value, "", null);
        return `R${out}`;
      } catch (error) {
        if (error === TOO_LARGE) return `O${TOO_LARGE.reason}`;
        throw error;
      }
    },
    /** "E" and name, message and stack as JSON. Never throws. */
    error: (thrown: unknown): string => {
      let described: { name: string; message: string; stack: string };
      try {
        described = describe(thrown);
      } catch {
        described = { name: "Error", message: "The thrown object cannot be read.", stack: "" };
      }
      const { name, message, stack } = described;
      return `E{"name":${p.quote(name)},"message":${p.quote(message)},"stack":${p.quote(stack)}}`;
    },
  };
}
