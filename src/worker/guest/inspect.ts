/**
 * Shows a value as one line or a few, the way people know it from Node's console.
 * Reads own data properties only, never calls what a program defined, and stops at its budget of characters.
 */

import type { Primordials } from "./primordials.ts";

export function createInspect(p: Primordials) {
  "use strict";
  const MAX_DEPTH = 4;
  const MAX_ENTRIES = 100;
  const LINE_CHARS = 76;
  let budget = 0;

  const isIdentifier = (key: string): boolean => {
    for (let index = 0; index < key.length; index++) {
      const code = p.charCodeAt(key, index) as number;
      const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 36;
      if (!isLetter && !(index > 0 && code >= 48 && code <= 57)) return false;
    }
    return key.length > 0;
  };
  const quoted = (text: string): string => {
    const json = p.quote(text.length > 10_000 ? `${p.slice(text, 0, 10_000)}\u2026` : text);
    if ((p.indexOf(text, "'") as number) >= 0) return json;
    let inner = "";
    for (let index = 1; index < json.length - 1; index++) {
      const isEscapedQuote = json[index] === "\\" && json[index + 1] === '"';
      if (json[index] === "\\" && !isEscapedQuote) inner += json[index++];
      else if (isEscapedQuote) index++;
      inner += json[index];
    }
    return `'${inner}'`;
  };
  const primitive = (value: unknown): string => {
    if (typeof value === "string") return quoted(value);
    if (typeof value === "bigint") return `${p.bigintToText(value)}n`;
    if (typeof value === "symbol") return `Symbol(${p.symbolDescription(value) ?? ""})`;
    return p.is(value, -0) ? "-0" : `${value as number}`;
  };
  const dataOf = (holder: object, key: PropertyKey): unknown => {
    const found = p.getOwnPropertyDescriptor(holder, key);
    return found !== undefined && p.hasOwn(found, "value") ? found.value : undefined;
  };
  /** The name of the class, read from data properties of the prototype chain. */
  const classOf = (value: object): string | null => {
    let holder: object | null = p.getPrototypeOf(value);
    for (let step = 0; holder !== null && step < 50; step++) {
      const maker = dataOf(holder, "constructor");
      if (typeof maker === "function") {
        const name = dataOf(maker, "name");
        return typeof name === "string" && name.length <= 100 ? name : "Object";
      }
      holder = p.getPrototypeOf(holder);
    }
    return null;
  };
  const tryCall = (method: (self: unknown, ...args: unknown[]) => unknown, value: unknown): unknown => {
    try {
      return method(value);
    } catch {
      return undefined;
    }
  };
  const wrap = (
    open: string,
    parts: { text: string; count: number; broken: boolean },
    close: string,
    pad: string,
  ): string => {
    if (parts.count === 0) return open + close;
    const oneLine = `${open} ${parts.text} ${close}`;
    return parts.broken ? `${open}\n${pad}  ${parts.text}\n${pad}${close}` : oneLine;
  };
  /** Joins entries with commas: on one line where they fit, else a line each. */
  const createParts = (pad: string) => {
    let lines = "";
    let line = "";
    let count = 0;
    let hasBreak = false;
    return {
      add(text: string): boolean {
        line = count === 0 ? text : `${line}, ${text}`;
        lines = count === 0 ? text : `${lines},\n${pad}  ${text}`;
        count++;
        budget -= text.length;
        if ((p.indexOf(text, "\n") as number) >= 0) hasBreak = true;
        return budget > 0;
      },
      get done() {
        const broken = hasBreak || line.length > LINE_CHARS;
        return { text: broken ? lines : line, count, broken };
      },
    };
  };

  const show = (value: unknown, depth: number, pad: string, above: { value: object; up: unknown } | null): string => {
    if (typeof value === "function") {
      const name = dataOf(value, "name");
      return typeof name === "string" && name !== ""
        ? `[Function: ${p.slice(name, 0, 100)}]`
        : "[Function (anonymous)]";
    }
    if (typeof value !== "object" || value === null) return primitive(value);
    for (let step = above; step !== null; step = step.up as typeof above) {
      if (step.value === value) return "[Circular *1]";
    }
    const here = { __proto__: null, value, up: above } as unknown as { value: object; up: unknown };
    const inner = `${pad}  `;
    const parts = createParts(pad);
    const child = (item: unknown): string => show(item, depth + 1, inner, here);
    if (p.isError(value)) {
      const stack = tryCall(p.stackOf, value);
      const message = dataOf(value, "message");
      const head = `${classOf(value) ?? "Error"}${typeof message === "string" && message !== "" ? `: ${message}` : ""}`;
      return depth === 0 && typeof stack !== "string" ? head : depth === 0 ? head : `[${head}]`;
    }
    const time = tryCall(p.dateGetTime, value);
    if (time !== undefined) return time === time ? (p.dateToIso(value) as string) : "Invalid Date";
    const flags = p.isArray(value)
      ? undefined
      : tryCall(p.regexpFlags, p.tagOf(value) === "[object RegExp]" ? value : null);
    if (typeof flags === "string") return `/${tryCall(p.regexpSource, value)}/${flags}`;
    const name = classOf(value);
    if (depth > MAX_DEPTH) return p.isArray(value) ? "[Array]" : `[${name ?? "Object: null prototype"}]`;
    const mapSize = tryCall(p.mapSize, value);
    const setSize = mapSize === undefined ? tryCall(p.setSize, value) : undefined;
    if (mapSize !== undefined || setSize !== undefined) {
      let seen = 0;
      const each = mapSize === undefined ? p.setForEach : p.mapForEach;
      each(value, (item: unknown, key: unknown) => {
        if (seen++ >= MAX_ENTRIES || budget <= 0) return;
        parts.add(mapSize === undefined ? child(item) : `${child(key)} => ${child(item)}`);
      });
      return wrap(`${name}(${mapSize ?? setSize}) {`, parts.done, "}", pad);
    }
    const typed = p.typedArrayName(value);
    const isList = p.isArray(value) || typed !== undefined;
    let open = "{";
    if (isList) {
      const length = (typed === undefined ? dataOf(value, "length") : p.typedArrayLength(value)) as number;
      open = typed !== undefined || (name !== null && name !== "Array") ? `${name}(${length}) [` : "[";
      for (let index = 0; index < length && index < MAX_ENTRIES; index++) {
        const text = p.hasOwn(value, index) ? child(dataOf(value, index)) : "<empty>";
        if (!parts.add(text)) break;
      }
      if (length > MAX_ENTRIES) parts.add(`... ${length - MAX_ENTRIES} more items`);
      return wrap(open, parts.done, "]", pad);
    }
    if (name === null) open = "[Object: null prototype] {";
    else if (name !== "Object") open = `${name} {`;
    const keys = p.ownKeys(value);
    for (let index = 0; index < keys.length && index < MAX_ENTRIES; index++) {
      const key = keys[index] as PropertyKey;
      const found = p.getOwnPropertyDescriptor(value, key);
      if (found === undefined || !found.enumerable) continue;
      const label =
        typeof key === "symbol"
          ? `[${primitive(key)}]`
          : isIdentifier(key as string)
            ? (key as string)
            : quoted(key as string);
      const text = p.hasOwn(found, "value") ? child(found.value) : "[Getter]";
      if (!parts.add(`${label}: ${text}`)) break;
    }
    return wrap(open, parts.done, "}", pad);
  };

  /** At most about `chars` characters; strings at the top are shown as they are. */
  return (value: unknown, chars: number): string => {
    if (typeof value === "string") return value.length > chars ? (p.slice(value, 0, chars) as string) : value;
    budget = chars;
    try {
      return show(value, 0, "", null);
    } catch {
      return "[unreadable]";
    }
  };
}
