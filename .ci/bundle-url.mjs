// Bundles the WHATWG reference implementation of URL and URLSearchParams into one script for the guest.
// The text is an EXPRESSION that gives { URL, URLSearchParams } in a bare V8 context: no module loader, no Node, only
// TextEncoder and TextDecoder in scope. Tables for international names are read when such a name is first seen.
// The text opens with a parenthesis, and only then come the licences, so that it can also follow `return`.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { deferPatterns, packMappingTable } from "./idna-tables.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const output = join(root, "src/worker/guest/url.generated.js");
const require = createRequire(import.meta.url);
const whatwgUrl = dirname(require.resolve("whatwg-url/package.json"));
const fromWhatwgUrl = createRequire(join(whatwgUrl, "index.js"));

/** The packages whose code is in the bundle, with the file that holds each one's licence. */
const LICENCES = [
  ["whatwg-url", whatwgUrl, "LICENSE.txt"],
  ["tr46", dirname(fromWhatwgUrl.resolve("tr46/package.json")), "LICENSE.md"],
  ["webidl-conversions", dirname(fromWhatwgUrl.resolve("webidl-conversions/package.json")), "LICENSE.md"],
  ["punycode", dirname(fromWhatwgUrl.resolve("punycode/package.json")), "LICENSE-MIT.txt"],
];

const ENTRY = `
  import wrapper from "whatwg-url/webidl2js-wrapper.js";
  const scope = { Array, Object, Promise, String, TypeError };
  wrapper.URL.install(scope, ["Window"]);
  wrapper.URLSearchParams.install(scope, ["Window"]);
  Object.defineProperty(scope.URL, "name", { value: "URL", configurable: true });
  Object.defineProperty(scope.URLSearchParams, "name", { value: "URLSearchParams", configurable: true });
  export const URL = scope.URL;
  export const URLSearchParams = scope.URLSearchParams;
`;

// URL never asks for another encoding than UTF-8, so the library of legacy encodings stays out.
const PERCENT_ENCODE = `
  const encoder = new TextEncoder();
  export function percentEncodeAfterEncoding(encoding, input, percentEncodeSet) {
    let text = "";
    for (const byte of encoder.encode(input)) {
      const character = String.fromCharCode(byte);
      const encoded = byte <= 0x1f || byte > 0x7e || percentEncodeSet.includes(character);
      text += encoded ? "%" + byte.toString(16).toUpperCase().padStart(2, "0") : character;
    }
    return text;
  }
`;

const VIRTUAL = {
  "virtual:entry": ENTRY,
  "@exodus/bytes/encoding.js": "export {};",
  "@exodus/bytes/whatwg.js": PERCENT_ENCODE,
};

/** [module, text, replacement]: the bundle fails when a new version of a package no longer has the text. */
const EDITS = [
  ["url-miscellaneous.js", 'const tr46 = require("tr46");', ""],
  ["url-miscellaneous.js", "return tr46.toASCII(", 'return require("tr46").toASCII('],
  [
    "whatwg-url/lib/utils.js",
    'getOwnPropertyDescriptor(SharedArrayBuffer.prototype, "byteLength").get',
    withoutShared("byteLength"),
  ],
  [
    "webidl-conversions/lib/index.js",
    'getOwnPropertyDescriptor(SharedArrayBuffer.prototype, "byteLength").get',
    withoutShared("byteLength"),
  ],
  [
    "webidl-conversions/lib/index.js",
    'getOwnPropertyDescriptor(SharedArrayBuffer.prototype, "growable").get',
    withoutShared("growable"),
  ],
  [
    "webidl-conversions/lib/index.js",
    'getOwnPropertyDescriptor(ArrayBuffer.prototype, "resizable").get',
    withoutResizable(),
  ],
];

/** What has no SharedArrayBuffer has no getter of one: the getter throws, which the callers read as "is none". */
function withoutShared(name) {
  return `getOwnPropertyDescriptor({ get ${name}() { throw new TypeError("not a SharedArrayBuffer"); } }, "${name}").get`;
}

/** Resizable buffers may have been taken away as well: then none is resizable. */
function withoutResizable() {
  return 'getOwnPropertyDescriptor({ get resizable() { return false; } }, "resizable").get';
}

const prepare = {
  name: "prepare",
  resolveId: (id) => (id in VIRTUAL ? `\0${id}` : undefined),
  load: (id) => (id.startsWith("\0") ? VIRTUAL[id.slice(1)] : undefined),
  transform(code, id) {
    if (id.endsWith("mappingTable.json")) return { code: packMappingTable(code), moduleType: "js" };
    if (id.endsWith("regexes.js")) return { code: deferPatterns(code) };
    let edited = code;
    for (const [file, text, replacement] of EDITS) {
      if (!id.replaceAll("\\", "/").endsWith(file)) continue;
      if (!edited.includes(text)) throw new Error(`${file} no longer holds: ${text}`);
      edited = edited.replace(text, () => replacement);
    }
    return edited === code ? undefined : { code: edited };
  },
};

const bundle = await rolldown({
  input: "virtual:entry",
  cwd: root,
  platform: "neutral",
  resolve: { mainFields: ["main"], alias: { "punycode/": fromWhatwgUrl.resolve("punycode/punycode.js") } },
  optimization: { pifeForModuleWrappers: false }, // which would compile every module at once
  plugins: [prepare],
  onLog: (_level, log) => {
    throw new Error(log.message);
  },
});
const { output: chunks } = await bundle.generate({ format: "iife", name: "library", minify: true, comments: false });
await bundle.close();
if (chunks.length !== 1) throw new Error(`Expected one chunk, found ${chunks.length}.`);

const notices = LICENCES.map(([name, folder, file]) => {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const licence = readFileSync(join(folder, file), "utf8").trim().replaceAll("*/", "* /");
  return `${name} ${version}\n\n${licence}`;
}).join(`\n\n${"-".repeat(80)}\n\n`);
// ASCII only: V8 keeps such a text in half the memory, and it survives every way of being stored.
const code = chunks[0].code.trim().replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
const text = `(function(){/*!\nGenerated from these packages, do not edit.\n\n${notices}\n*/\n${code}\nreturn library;})()\n`;

mkdirSync(dirname(output), { recursive: true });
const partial = `${output}.${process.pid}`;
writeFileSync(partial, text);
renameSync(partial, output);
process.stderr.write(`${relative(root, output)}: ${Math.ceil(text.length / 1024)} KB\n`);
