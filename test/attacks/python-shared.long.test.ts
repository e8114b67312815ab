/**
 * The bytes that all interpreters of a worker are restored from: a program that reaches JavaScript in its own isolate, which
 * it may, finds no way to them, and cannot change what the next program starts with.
 */

import { afterAll, beforeAll, expect, it } from "vitest";
import { createSandbox } from "../../src/index.ts";
import type { Sandbox } from "../../src/types.ts";

let sandbox: Sandbox;

// One worker and one interpreter ahead: the program that looks is restored after the one that wrote.
beforeAll(async () => {
  sandbox = await createSandbox({ workers: 1, standby: 0, python: { workers: 1, prepared: 1 } });
});
afterAll(() => sandbox.close());

const run = async (source: string) => {
  const { ok, status, result, error, message } = await sandbox.run({
    language: "python",
    source,
    limits: { timeoutMs: 20_000 },
  });
  return ok ? result : { status, error, message };
};

/** `body` as a function in JavaScript, made and called from Python with what pyodide gives it. */
const inJavaScript = (body: string): string => `
import pyodide_js, js
make = pyodide_js._api.config.constructor.constructor
result = make.new("pyodide", "js", """${body}""")(pyodide_js, js)
`;

/** Every object that can be reached by properties, prototypes, and what maps and sets hold. Python's own are no JavaScript. */
const WALK = `
const seen = new Set();
const shared = [];
const open = [[pyodide, 'pyodide'], [js, 'js'], [globalThis, 'global'], [pyodide._api, 'api'], [pyodide._module, 'module']];
while (open.length > 0) {
  const [value, path] = open.pop();
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) continue;
  seen.add(value);
  let tag = '';
  try {
    if (value instanceof pyodide.ffi.PyProxy) continue;
    tag = Object.prototype.toString.call(value);
  } catch {}
  if (tag === '[object SharedArrayBuffer]') shared.push(path);
  if (ArrayBuffer.isView(value)) { open.push([value.buffer, path + '.buffer']); continue; }
  try {
    if (value instanceof Map || value instanceof Set) for (const entry of value) open.push([entry, path + '.entry']);
  } catch {}
  let keys = [];
  try { keys = Reflect.ownKeys(value); } catch {}
  for (const key of keys) {
    let inner;
    try { inner = value[key]; } catch { continue; }
    open.push([inner, (path + '.' + String(key)).slice(-100)]);
  }
  try { open.push([Object.getPrototypeOf(value), path + '.__proto__']); } catch {}
}
return JSON.stringify([seen.size > 3000, shared]);
`;

it("are held by no object that a program can reach", async () => {
  expect(await run(inJavaScript(WALK))).toBe("[true,[]]");
});

/** What the loader's own ways to evaluate a text see: they stand where its names are. Our names, and those of the script around it. */
const EVALUATE = `
const module = pyodide._module;
const ways = Object.keys(module).filter((name) => name.includes('run_script') && typeof module[name] === 'function');
const names = 'host wasm stdlib filler loaded text output shell interpreter head lock glue load execute call run'.split(' ');
const found = [];
for (const way of ways) for (const name of names) {
  const text = 'globalThis.seen = typeof ' + name + ' !== "undefined"';
  const at = module._malloc(text.length + 1);
  for (let index = 0; index <= text.length; index++) module.HEAPU8[at + index] = text.charCodeAt(index) | 0;
  globalThis.seen = undefined;
  try { module[way](at); } catch {}
  if (globalThis.seen) found.push(way + ' ' + name);
}
return JSON.stringify([ways.length > 0, found]);
`;

it("are seen by no text that the loader evaluates for a program", async () => {
  expect(await run(inJavaScript(EVALUATE))).toBe("[true,[]]");
});

it("leave nothing of the loading behind as a global", async () => {
  const names = await run(inJavaScript("return Object.getOwnPropertyNames(globalThis).join(' ')"));
  expect(names).toContain("Uint8Array");
  const loading =
    /\b(sallyport\w*|interpreter|memory|\w*pyodide\w*|read|load|readbuffer|WebAssembly|SharedArrayBuffer|Atomics)\b/i;
  expect(String(names).match(loading)).toBeNull();
});

/** Writes over the alphabet in whatever the loader was given, and in its own memory, which ends with it. */
const POISON = `
let written = 0;
const given = [pyodide._api.config._loadSnapshot, pyodide._module.HEAPU8];
for (const { buffer } of given.filter(Boolean)) {
  const bytes = new Uint8Array(buffer);
  const wanted = [...'abcdefghijklmnopqrstuvwxyzABC'].map((letter) => letter.charCodeAt(0));
  for (let at = 0; (at = bytes.indexOf(97, at)) >= 0; at++) {
    if (wanted.every((code, offset) => bytes[at + offset] === code)) { bytes[at] = 90; written++; }
  }
}
return written;
`;

it("are what they were after a program that wrote wherever it could", async () => {
  const look = "import string\nresult = string.ascii_letters[:3]";
  expect(await run(look)).toBe("abc");
  expect(await run(inJavaScript(POISON))).toBeGreaterThan(0);
  for (let time = 0; time < 3; time++) expect(await run(look)).toBe("abc");
});

it("of the standard library are what they were after a program that wrote over its own copy", async () => {
  const spoil = `
import sys
path = next(entry for entry in sys.path if entry.endswith(".zip"))
with open(path, "r+b") as file:
    size = len(file.read())
    file.seek(0)
    file.write(bytes(size))
result = size > 1_000_000`;
  expect(await run(spoil)).toBe(true);
  for (let time = 0; time < 2; time++) {
    expect(await run("import html.parser\nresult = html.parser.HTMLParser.__name__")).toBe("HTMLParser");
  }
});
