/**
 * The few web globals that models expect and that grant nothing: text encoding, base64, structuredClone, URL.
 * Each is defined when a program first reads it. No bridge to the host but the text of the URL library, asked for once.
 */

import type { createGlobals } from "./globals.ts";
import type { Primordials } from "./primordials.ts";

export function createWeb(p: Primordials, globals: ReturnType<typeof createGlobals>, loadLibrary: () => string) {
  "use strict";
  const makeError = (name: string, message: string): Error => {
    const error = new p.Error(message);
    globals.define("name", name, error);
    return error;
  };

  const encodeUtf8 = (text: string): Uint8Array => {
    const bytes = new p.Uint8Array(text.length * 3);
    let size = 0;
    for (let index = 0; index < text.length; index++) {
      let code = p.charCodeAt(text, index) as number;
      if (code >= 0xd800 && code <= 0xdfff) {
        const low = index + 1 < text.length ? (p.charCodeAt(text, index + 1) as number) : 0;
        if (code <= 0xdbff && low >= 0xdc00 && low <= 0xdfff) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          index++;
        } else code = 0xfffd;
      }
      if (code < 0x80) bytes[size++] = code;
      else {
        if (code < 0x800) bytes[size++] = 0xc0 | (code >> 6);
        else {
          if (code < 0x10000) bytes[size++] = 0xe0 | (code >> 12);
          else {
            bytes[size++] = 0xf0 | (code >> 18);
            bytes[size++] = 0x80 | ((code >> 12) & 63);
          }
          bytes[size++] = 0x80 | ((code >> 6) & 63);
        }
        bytes[size++] = 0x80 | (code & 63);
      }
    }
    return new p.Uint8Array(p.arrayBufferSlice(bytes.buffer, 0, size) as ArrayBuffer);
  };
  const decodeUtf8 = (bytes: Uint8Array, fatal: boolean, keepBom: boolean): string => {
    const length = p.typedArrayLength(bytes) as number;
    let text = "";
    let index = 0;
    while (index < length) {
      const first = bytes[index++] as number;
      let code = first;
      let more = 0;
      let least = 0x80;
      let most = 0xbf;
      if (first >= 0xc2 && first <= 0xdf) {
        more = 1;
        code = first & 31;
      } else if (first >= 0xe0 && first <= 0xef) {
        more = 2;
        code = first & 15;
        if (first === 0xe0) least = 0xa0;
        if (first === 0xed) most = 0x9f;
      } else if (first >= 0xf0 && first <= 0xf4) {
        more = 3;
        code = first & 7;
        if (first === 0xf0) least = 0x90;
        if (first === 0xf4) most = 0x8f;
      } else if (first >= 0x80) code = -1;
      while (more > 0 && code >= 0) {
        const byte = index < length ? (bytes[index] as number) : -1;
        if (byte < least || byte > most) code = -1;
        else {
          code = (code << 6) | (byte & 63);
          index++;
          more--;
          least = 0x80;
          most = 0xbf;
        }
      }
      if (code < 0) {
        if (fatal) throw new p.TypeError("The encoded data was not valid for encoding utf-8");
        code = 0xfffd;
      }
      if (code === 0xfeff && text === "" && !keepBom) keepBom = true;
      else if (code < 0x10000) text += p.fromCharCode(code);
      else text += p.fromCharCode(0xd7c0 + (code >> 10), 0xdc00 | (code & 1023));
    }
    return text;
  };
  const bytesOf = (source: unknown): Uint8Array => {
    if (source === undefined) return new p.Uint8Array(0);
    if (typeof source === "object" && source !== null) {
      if (p.typedArrayName(source) === "Uint8Array") return source as Uint8Array;
      const view = source as { buffer?: unknown; byteOffset?: number; byteLength?: number };
      if (typeof view.byteOffset === "number") {
        return new p.Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
      }
      p.arrayBufferLength(source);
      return new p.Uint8Array(source as ArrayBuffer);
    }
    throw new p.TypeError("The argument must be a buffer or a view of one.");
  };

  const makeTextEncoder = () => {
    return class TextEncoder {
      get encoding() {
        return "utf-8";
      }
      encode(text: unknown = "") {
        return encodeUtf8(p.toText(text));
      }
      encodeInto(text: unknown, target: Uint8Array) {
        const source = p.toText(text);
        let read = 0;
        let written = 0;
        while (read < source.length) {
          const code = p.charCodeAt(source, read) as number;
          const step = code >= 0xd800 && code <= 0xdbff ? 2 : 1;
          const bytes = encodeUtf8(p.slice(source, read, read + step) as string);
          if (written + bytes.length > target.length) break;
          for (let index = 0; index < bytes.length; index++) target[written++] = bytes[index] as number;
          read += step;
        }
        return { read, written };
      }
    };
  };
  globals.defineLazy("TextEncoder", makeTextEncoder);
  const makeTextDecoder = () => {
    return class TextDecoder {
      readonly encoding = "utf-8";
      readonly fatal: boolean;
      readonly ignoreBOM: boolean;
      constructor(name: unknown = "utf-8", options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
        const asked = p.toText(name);
        if (asked !== "utf-8" && asked !== "utf8" && asked !== "UTF-8" && asked !== "UTF8") {
          throw new p.RangeError("Only the encoding utf-8 is available in this sandbox.");
        }
        this.fatal = !!options.fatal;
        this.ignoreBOM = !!options.ignoreBOM;
      }
      decode(source?: unknown) {
        return decodeUtf8(bytesOf(source), this.fatal, this.ignoreBOM);
      }
    };
  };
  globals.defineLazy("TextDecoder", makeTextDecoder);

  const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  globals.defineLazy("btoa", () => (data: unknown) => {
    const text = p.toText(data);
    let out = "";
    for (let index = 0; index < text.length; index += 3) {
      const a = p.charCodeAt(text, index) as number;
      const b = index + 1 < text.length ? (p.charCodeAt(text, index + 1) as number) : 0;
      const c = index + 2 < text.length ? (p.charCodeAt(text, index + 2) as number) : 0;
      if (a > 255 || b > 255 || c > 255) throw makeError("InvalidCharacterError", "Invalid character");
      out += ALPHABET[a >> 2];
      out += ALPHABET[((a & 3) << 4) | (b >> 4)];
      out += index + 1 < text.length ? ALPHABET[((b & 15) << 2) | (c >> 6)] : "=";
      out += index + 2 < text.length ? ALPHABET[c & 63] : "=";
    }
    return out;
  });
  globals.defineLazy("atob", () => (data: unknown) => {
    const given = p.toText(data);
    let text = "";
    for (let index = 0; index < given.length; index++) {
      if ((p.indexOf(" \t\n\f\r", given[index]) as number) < 0) text += given[index];
    }
    if (text.length % 4 === 0 && text.length > 0) {
      if (text[text.length - 1] === "=") text = p.slice(text, 0, -1) as string;
      if (text[text.length - 1] === "=") text = p.slice(text, 0, -1) as string;
    }
    let out = "";
    let bits = 0;
    let size = 0;
    for (let index = 0; index < text.length; index++) {
      const value = p.indexOf(ALPHABET, text[index]) as number;
      if (value < 0 || text.length % 4 === 1) {
        throw makeError("InvalidCharacterError", "The string to be decoded is not correctly encoded.");
      }
      bits = ((bits << 6) | value) & 0xffffff;
      size += 6;
      if (size >= 8) {
        size -= 8;
        out += p.fromCharCode((bits >> size) & 255);
      }
    }
    return out;
  });

  globals.defineLazy("structuredClone", () => (value: unknown) => {
    const seen = new p.Map<unknown, unknown>();
    const refuse = (what: string): never => {
      throw makeError("DataCloneError", `${what} could not be cloned.`);
    };
    const attempt = (method: (self: unknown) => unknown, self: unknown): unknown => {
      try {
        return method(self);
      } catch {
        return undefined;
      }
    };
    const clone = (item: unknown): unknown => {
      if (typeof item === "function") return refuse("A function");
      if (typeof item === "symbol") return refuse("A symbol");
      if (typeof item !== "object" || item === null) return item;
      if (p.mapHas(seen, item)) return p.mapGet(seen, item);
      const keep = <T>(copy: T): T => {
        p.mapSet(seen, item, copy);
        return copy;
      };
      const time = attempt(p.dateGetTime, item);
      if (time !== undefined) return keep(new p.Date(time as number));
      const name = p.typedArrayName(item);
      if (typeof name === "string") {
        const view = item as Uint8Array;
        const buffer = p.arrayBufferSlice(view.buffer, view.byteOffset, view.byteOffset + view.byteLength);
        const Maker = (p.scope[name] ?? p.Uint8Array) as new (bytes: unknown) => unknown;
        return keep(new Maker(buffer));
      }
      const length = attempt(p.arrayBufferLength, item);
      if (length !== undefined) return keep(p.arrayBufferSlice(item, 0));
      if (attempt(p.mapSize, item) !== undefined) {
        const copy = keep(new p.Map());
        p.mapForEach(item, (inner: unknown, key: unknown) => void p.mapSet(copy, clone(key), clone(inner)));
        return copy;
      }
      if (attempt(p.setSize, item) !== undefined) {
        const copy = keep(new p.Set());
        p.setForEach(item, (inner: unknown) => void p.setAdd(copy, clone(inner)));
        return copy;
      }
      const tag = p.tagOf(item);
      if (tag === "[object RegExp]")
        return keep(new p.RegExp(p.regexpSource(item) as string, p.regexpFlags(item) as string));
      if (tag === "[object Promise]" || tag === "[object WeakMap]" || tag === "[object WeakSet]") return refuse(tag);
      const copy = keep(p.isError(item) ? p.createObject(p.getPrototypeOf(item)) : p.isArray(item) ? [] : {}) as object;
      const keys = p.ownKeys(item);
      for (let index = 0; index < keys.length; index++) {
        const key = keys[index];
        if (typeof key !== "string") continue;
        const found = p.getOwnPropertyDescriptor(item, key);
        const isShown = found?.enumerable || (p.isError(item) && (key === "message" || key === "stack"));
        if (isShown) globals.define(key, clone((item as Record<string, unknown>)[key]), copy);
        if (isShown && found?.enumerable) {
          p.defineProperty(copy, key, { __proto__: null, enumerable: true } as PropertyDescriptor);
        }
      }
      if (p.isArray(item)) (copy as unknown[]).length = (item as unknown[]).length;
      return copy;
    };
    return clone(value);
  });
  globals.define("queueMicrotask", (callback: unknown) => {
    if (typeof callback !== "function") throw new p.TypeError("queueMicrotask needs a function");
    const settled = (async () => {})();
    p.defineProperty(settled, "constructor", { __proto__: null, value: undefined } as PropertyDescriptor);
    p.apply(p.then, settled, [() => void (callback as () => unknown)()]);
  });

  let library: Record<string, unknown> | null = null;
  const fromLibrary = (name: string) => () => {
    library ??= loadFromText();
    return library[name];
  };
  /** Compiled with what it needs as parameters: an allowlist may have taken the globals away. */
  const loadFromText = (): Record<string, unknown> => {
    let parameters = "TextEncoder,TextDecoder";
    const values: unknown[] = [makeTextEncoder(), makeTextDecoder()];
    const names = p.ownKeys(globals.hidden);
    for (let index = 0; index < names.length; index++) {
      const taken = names[index] as string;
      if (taken === "eval" || taken === "NaN" || taken === "Infinity" || taken === "undefined") continue;
      parameters += `,${taken}`;
      globals.define(`${values.length}`, globals.hidden[taken], values);
    }
    return p.apply(p.Function(parameters, `return ${loadLibrary()}`), undefined, values) as Record<string, unknown>;
  };
  globals.defineLazy("URL", fromLibrary("URL"));
  globals.defineLazy("URLSearchParams", fromLibrary("URLSearchParams"));
}
