/**
 * The web globals that models expect and that grant nothing, the input, and one sentence for each name that is absent.
 * What they give is compared with the host's own, where the host has them.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const { run } = useSandbox();

describe("text encoding", () => {
  it("is that of the host, for any text and any bytes", async () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\ud800", "a\udfffé😀", "\ufeffa"));
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc.array(fc.constantFrom(0x41, 0x80, 0xc2, 0xe0, 0xa0, 0xed, 0xef, 0xbb, 0xbf, 0xf0, 0x90, 0xf4), {
        maxLength: 8,
      }),
    );
    await fc.assert(
      fc.asyncProperty(text, bytes, async (written, given) => {
        const { result } = await run(
          "[[...new TextEncoder().encode(input.written)], new TextDecoder().decode(new Uint8Array(input.given))]",
          { input: { written, given: [...given] } },
        );
        expect(result).toEqual([
          [...new TextEncoder().encode(written)],
          new TextDecoder().decode(Uint8Array.from(given)),
        ]);
      }),
      { numRuns: 40 },
    );
  });

  it.each<[source: string, result: unknown]>([
    ["new TextEncoder().encodeInto('é😀', new Uint8Array(4))", { read: 1, written: 2 }],
    ["new TextEncoder().encode().length", 0],
    ["new TextDecoder().decode()", ""],
    ["new TextDecoder('utf8').encoding", "utf-8"],
    ["new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array([239, 187, 191, 97]))", "\ufeffa"],
    ["new TextDecoder().decode(new Uint8Array([97, 98, 99, 100]).subarray(1, 3))", "bc"],
    ["new TextDecoder().decode(new DataView(new Uint8Array([97, 98]).buffer, 1))", "b"],
    ["new TextDecoder().decode(new Uint8Array([97]).buffer)", "a"],
  ])("%s is %j", async (source, result) => {
    expect(await run(source)).toMatchObject({ ok: true, result });
  });

  it("refuses what it cannot do", async () => {
    const fatal = "new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255]))";
    expect(await run(fatal)).toMatchObject({ status: "error", error: "TypeError" });
    expect(await run("new TextDecoder('utf-16')")).toMatchObject({ status: "error", error: "RangeError" });
    expect(await run("new TextDecoder().decode('text')")).toMatchObject({ status: "error", error: "TypeError" });
  });
});

describe("base64", () => {
  it("goes there and back, as the host's does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 20 }), async (bytes) => {
        const binary = String.fromCharCode(...bytes);
        const { result } = await run("[btoa(input), atob(btoa(input))]", { input: binary });
        expect(result).toEqual([btoa(binary), binary]);
      }),
      { numRuns: 20 },
    );
  });

  it.each<[source: string, result: unknown]>([
    ["atob(' aG\\nk= ')", "hi"],
    ["atob('aGk')", "hi"],
    ["btoa('')", ""],
    ["btoa(5)", "NQ=="],
  ])("%s is %j", async (source, result) => {
    expect(await run(source)).toMatchObject({ ok: true, result });
  });

  it.each(["btoa('é😀')", "atob('a')", "atob('a*==')", "atob('a=b=')"])("%s is an error", async (source) => {
    expect(await run(source)).toMatchObject({ status: "error", error: "InvalidCharacterError" });
  });
});

describe("structuredClone", () => {
  it.each<[source: string, result: unknown]>([
    [
      "const a = { b: [1, { c: 2 }] }; const c = structuredClone(a); [c, c !== a, c.b !== a.b]",
      [{ b: [1, { c: 2 }] }, true, true],
    ],
    ["const o = {}; o.o = o; const c = structuredClone(o); c !== o && c.o === c", true],
    ["const x = {}; const [a, b] = structuredClone([x, x]); a === b", true],
    ["structuredClone(new Map([[{ a: 1 }, new Set([1])]])).size", 1],
    ["structuredClone(new Date(5)).getTime()", 5],
    ["const r = structuredClone(/a/gi); [r.source, r.flags]", ["a", "gi"]],
    ["structuredClone(new Uint16Array([1, 2]).subarray(1))", { $type: "Uint16Array", value: [2] }],
    ["const e = structuredClone(new RangeError('m')); [e instanceof RangeError, e.message]", [true, "m"]],
    ["structuredClone([1, , 3]).length", 3],
    ["1 in structuredClone([1, , 3])", false],
    ["structuredClone(new (class Q { y = 1 })()).constructor === Object", true],
    ["structuredClone(Object.create({ inherited: 1 }))", {}],
    [
      "[structuredClone(1n), structuredClone(undefined), structuredClone(null)]",
      [{ $type: "bigint", value: "1" }, { $type: "undefined" }, null],
    ],
  ])("%s is %j", async (source, result) => {
    expect(await run(source)).toMatchObject({ ok: true, result });
  });

  it.each(["() => 1", "Symbol()", "Promise.resolve()", "new WeakMap()", "{ f() {} }"])(
    "of %s is a DataCloneError",
    async (source) => {
      expect(await run(`structuredClone(${source})`)).toMatchObject({ status: "error", error: "DataCloneError" });
    },
  );
});

describe("URL", () => {
  it.each([
    "new URL('../x?y=1#h', 'https://user:pw@ex.com:8080/a/b/').href",
    "new URL('http://münchen.de/ä b?q=ü').href",
    "new URL('HTTP://EX.com:80/%7e/./a/../b').href",
    "Object.fromEntries(['origin', 'protocol', 'host', 'port', 'pathname', 'search', 'hash', 'username'].map((part) => [part, new URL('https://u@a.b:1/c?d#e')[part]]))",
    "const u = new URL('http://a.b/?x=1&x=2&y=%20+'); [u.searchParams.getAll('x'), u.searchParams.get('y')]",
    "const u = new URL('http://a.b'); u.searchParams.append('k', 'v w'); u.searchParams.set('l', '&'); u.port = '99'; u.href",
    "[...new URLSearchParams('b=2&a=1&a=0')]",
    "const p = new URLSearchParams({ b: '2', a: '1' }); p.sort(); p.delete('b'); String(p)",
    "JSON.stringify({ u: new URL('http://a.b/c') })",
    "`${new URL('http://[::1]:3/')}`",
    "[URL.canParse('nope'), URL.canParse('a:b'), URL.parse('nope')]",
    "new URL('file:///c:/x/../y').pathname",
  ])("agrees with the host's: %s", async (source) => {
    const steps = source.split("; ");
    const own: unknown = new Function(`${steps.slice(0, -1).join("; ")}; return (${steps.at(-1)})`)();
    expect(await run(source)).toMatchObject({ ok: true, result: own });
  });

  it("refuses what is none", async () => {
    expect(await run("new URL('nope')")).toMatchObject({ status: "error", error: "TypeError", line: 1, column: 1 });
  });
});

describe("the input", () => {
  it("is any JSON, as it was given", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (input) => {
        const { result } = await run("JSON.stringify(input)", { input: input as never });
        expect(result).toBe(JSON.stringify(input));
      }),
      { numRuns: 25 },
    );
  });

  it.each<[source: string, result: unknown]>([
    ["input.a + input.b[0]", 3],
    ["let input = 5; input", 5],
    ["input = 6; input", 6],
    ["const f = (input) => input; f(7)", 7],
    ["globalThis.input.a", 1],
  ])("is a global that may be shadowed: %s", async (source, result) => {
    expect(await run(source, { input: { a: 1, b: [2] } })).toMatchObject({ ok: true, result });
  });

  it("with an own __proto__ changes no prototype", async () => {
    const input = JSON.parse('{ "__proto__": { "admin": true } }') as never;
    expect(await run("[input.admin === undefined, Object.keys(input)]", { input })).toMatchObject({
      result: [true, ["__proto__"]],
    });
  });

  it("may be as large as its limit, whatever it is made of", async () => {
    const inputBytes = 8192 * 1024;
    for (const input of ["x".repeat(inputBytes - 2), '"'.repeat(inputBytes / 2 - 1)]) {
      const observation = await run("input.length", {
        input,
        limits: { inputBytes, timeoutMs: 10_000, memoryMb: 256 },
      });
      expect(observation).toMatchObject({ ok: true, result: input.length });
    }
  });
});

describe("a name that is absent", () => {
  it.each<[name: string, why: RegExp]>([
    ["require", /no modules/],
    ["module", /no modules/],
    ["__dirname", /no modules/],
    ["process", /no process, file, environment or host access/],
    ["global", /no process/],
    ["Deno", /no process/],
    ["fs", /no process/],
    ["fetch", /no network/],
    ["XMLHttpRequest", /no network/],
    ["WebSocket", /no network/],
    ["Buffer", /Uint8Array/],
    ["window", /no browser/],
    ["document", /no browser/],
    ["self", /no browser/],
    ["Event", /no browser/],
    ["Bun", /no process/],
    ["localStorage", /nothing is stored/],
    ["sessionStorage", /nothing is stored/],
    ["Worker", /no threads/],
    ["AbortController", /nothing can be aborted/],
    ["Blob", /no blobs/],
    ["crypto", /no crypto/],
    ["WebAssembly", /not available/],
    ["SharedArrayBuffer", /not available/],
    ["Atomics", /not available/],
    ["WeakRef", /not available/],
    ["FinalizationRegistry", /not available/],
    ["input", /no `input` was given/],
  ])("is told in one sentence: %s", async (name, why) => {
    expect(await run(`typeof ${name}`)).toMatchObject({ ok: true, result: "undefined" });
    const observation = await run(`${name}.anything`);
    expect(observation).toMatchObject({ status: "error", error: "ReferenceError", line: 1, column: 1 });
    expect(observation.message).toMatch(new RegExp(`^${name} is not defined: .*\\.$`));
    expect(observation.message).toMatch(why);
    expect(observation.message).not.toMatch(/\.\s/);
  });

  it.each(["import fs from 'fs'; fs", "export const a = 1", "import('fs')", "await import('node:fs')", "import.meta"])(
    "is told where it is a module: %s",
    async (source) => {
      const observation = await run(source);
      expect(observation).toMatchObject({ status: "error", line: 1 });
      expect(observation.message).toMatch(/no modules can be loaded/);
    },
  );

  it.each([
    ["of a promise", "await import('x').catch((e) => e.message)"],
    ["of an await", "let said; try { await import('x') } catch (e) { said = e.message } said"],
    ["in a template", "`${await import('x').catch((e) => e.message)}`"],
    ["in a function", "const load = async (name) => import(name); load('fs').catch((e) => e.message)"],
  ])("is told in the error %s as well", async (_, source) => {
    const observation = await run(source);
    expect(observation).toMatchObject({ ok: true });
    expect(observation.result).toMatch(/^import\(\) is not available: no modules can be loaded/);
  });

  it("is told at the place of the import, and nothing else is touched", async () => {
    const told = { status: "error", error: "TypeError", line: 2, column: 13 };
    expect(await run("1;\n      await import('fs')")).toMatchObject(told);
    const source =
      "const o = { import: 1 }; /* import( */ [\"import('x')\", `import(${o.import})`, String(/import(x)/)]";
    expect(await run(source)).toMatchObject({ ok: true, result: ["import('x')", "import(1)", "/import(x)/"] });
  });
});
