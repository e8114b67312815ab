/**
 * What the inspector says of a program: figures, lists, and what it could not determine.
 * Programs that hide something are in `test/policy/fixtures/evasions.ts`.
 */

import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Manifest } from "../../src/types.ts";
import { inspectJavaScript } from "../../src/worker/engines/javascript/inspect.ts";
import { EVASIONS, holds } from "../policy/fixtures/evasions.ts";
import { observe, programs } from "../policy/fixtures/generated.ts";

describe("what a program mentions", () => {
  const cases: [source: string, expected: Partial<Manifest>][] = [
    ["", { lines: 1, sourceChars: 0, complete: true, globals: [], members: [] }],
    ["a\nb\r\nc", { lines: 3, globals: ["a", "b", "c"] }],
    ["a\n", { lines: 1, sourceChars: 2 }],
    ["a\n\n", { lines: 2 }],
    ["let x = y; x.z", { globals: ["y"], members: ["z"] }],
    ["typeof process", { globals: ["process"] }],
    ["console.log(1)", { globals: ["console"], members: ["log"] }],
    ["x = 1; delete y", { globals: ["x", "y"] }],
    ['a.b["c"][`d`]?.e', { members: ["e", "d", "c", "b"], complete: true }],
    ["a[0]; a[-1]; a[1n]; a[null]", { members: [], complete: true }],
    ["const { p, q: { r }, ...s } = o", { globals: ["o"], members: ["p", "q", "r"] }],
    ["({ a: b, c } = d)", { globals: ["b", "c", "d"], members: ["a", "c"] }],
    ["({ k: 1, m() {}, get g() { return 1; } })", { members: [], globals: [] }],
    ["(function f(p, ...q) { return f(p, q, arguments); })", { globals: [] }],
    ["for (const i of l) i; for (const k in o) k; i", { globals: ["l", "o", "i"], loops: 2 }],
    ["try {} catch (e) { e } e", { globals: ["e"] }],
    ["{ let a; a } a", { globals: ["a"] }],
    ["{ var a; } a", { globals: [] }],
    ["f(); function f() {}", { globals: [] }],
    ["class A extends B { static { A; C; } }", { globals: ["B", "C"] }],
    ["l: for (;;) break l", { globals: [], loops: 1 }],
    ["new.target; import.meta", { globals: [] }],
    ["while (1) do ; while (1)", { loops: 2 }],
    ["f(g([{ a: [] }]))", { nesting: 5 }],
    ["if (a) { while (b) { c } }", { nesting: 2 }],
    ["a.b().c().d()", { nesting: 1 }],
    ['import a from "m"; export { b } from "n"; export * from "o"', { imports: ["m", "n", "o"], globals: [] }],
    ['import("m"); require("n")', { imports: ["m", "n"], complete: true, dynamicCode: [] }],
    ["require(`m`); const require_ = 1", { imports: ["m"] }],
    ['const require = (x) => x; require("m"); require(y)', { imports: [], complete: true }],
    ["let _a; b._c; ({ _d: 1 }); class A { _e() {} }", { privateAccess: ["_c", "_a", "_d", "_e"] }],
    ["(_, x) => _; class A { #p = 1; q() { return this.#p; } }", { privateAccess: [], members: [] }],
    ["class A { constructor() {} } ({ constructor: A, prototype: 1 })", { privateAccess: [] }],
    ["a.constructor.name; a.__proto__", { privateAccess: ["constructor", "__proto__"], dynamicCode: [] }],
    ["__proto__.x; const toString = 1; valueOf", { globals: ["__proto__", "valueOf"], privateAccess: ["__proto__"] }],
    ["globalThis.fetch; this.crypto", { globals: ["globalThis", "fetch", "crypto"], complete: true }],
    ["globalThis[0]; typeof globalThis; globalThis === a", { complete: true }],
    ["function F() { this.x = 1; this.x }", { globals: [], members: ["x"], complete: true }],
    ["setTimeout(() => 1, 5); setTimeout(f, 5)", { dynamicCode: [], complete: true }],
    ["let x: number = 1; interface A { b: C } enum E { F }", { dialect: "typescript", globals: [], complete: true }],
    ["f(a<b, c>(d))", { dialect: "javascript", globals: ["f", "a", "b", "c", "d"] }],
  ];
  test.each(cases)("of %j it says so", (source, expected) => {
    const manifest = inspectJavaScript(source);
    const sorted = (value: unknown) => (Array.isArray(value) ? value.toSorted() : value);
    const found = Object.fromEntries(
      Object.keys(expected).map((key) => [key, sorted(manifest[key as keyof Manifest])]),
    );
    expect(found).toEqual(Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, sorted(value)])));
  });

  test("it has the length and the hash of the source as it was written", () => {
    const source = "const ä: string = '😀';";
    const manifest = inspectJavaScript(source);
    expect(manifest.sourceChars).toBe(source.length);
    expect(manifest.sha256).toBe(createHash("sha256").update(source, "utf8").digest("hex"));
  });

  test("a program that does not parse is inert, and says where", () => {
    const manifest = inspectJavaScript("ok;\nlet = = eval;");
    expect(manifest).toMatchObject({ complete: false, undetermined: [], globals: [], dynamicCode: [] });
    expect(manifest.syntaxError).toMatchObject({ line: 2, message: expect.any(String) });
  });
});

describe("computed names", () => {
  test.each([
    "for (let i = 0; i < 9; i++) a[i]",
    "let i = 0; while (i < 9) { a[i]; i += 2; }",
    "let i, j = 1; i = j; a[i ? j : -i]",
    "var n = 3; n--; a[n + 1][n * x][x - 1][+x][~x][x >> 1][x % 2]",
    "a[Math.floor(x)][Math.max(...y)][Number(z)][parseInt(z, 10)][Math.PI]",
    'a["abc".length][[1, 2].length]',
    "const b = !x; a[b][x === y][void 0]",
    "let i = 0; function f() { i = i + 1; return a[i]; }",
    "a[Symbol.iterator]; class B { [Symbol.iterator]() {} [key]() {} }",
    "let i = 0; { let i = f(); i } a[i]",
    "a[(f(), 1)]; let k = null ?? 0; a[k ||= 2]; a[k = 3]",
    "enum E { A = 1, B } E.A",
  ])("of %j all is determined", (source) => {
    expect(inspectJavaScript(source)).toMatchObject({ complete: true, undetermined: [] });
  });

  test.each([
    "a[b]",
    "a[f()]",
    "(i) => a[i]",
    "a[b.length]",
    "a[i + 1]",
    "a[typeof b]",
    "a[/x/]",
    "for (const i in a) a[i]",
  ])("of %j the members are not", (source) =>
    expect(inspectJavaScript(source)).toMatchObject({ complete: false, undetermined: ["members"] }),
  );
});

describe("programs that hide what they do", () => {
  test("at least 100 programs that hide what they do are tried, and the recall is told", () => {
    expect(new Set(EVASIONS.map(([, source]) => source)).size).toBeGreaterThanOrEqual(100);
    const found = EVASIONS.filter(([, source, expected]) => {
      const manifest = inspectJavaScript(source);
      return manifest.syntaxError !== undefined || holds(manifest, expected);
    });
    process.stdout.write(`recall on programs that hide what they do: ${found.length} of ${EVASIONS.length}\n`);
    expect(found).toHaveLength(EVASIONS.length);
  });

  test.each(EVASIONS)("%s is named or left open: %s", (_title, source, expected) => {
    const manifest = inspectJavaScript(source);
    expect(manifest.syntaxError).toBeUndefined();
    expect(holds(manifest, expected), JSON.stringify(manifest)).toBe(true);
  });
});

describe("generated programs", () => {
  const HARMLESS = /^(?:-?\d.*|NaN|-?Infinity|true|false|null|undefined)$/;
  const options = { numRuns: 1000 };

  test("look up no global and no member that the manifest lacks", () => {
    let checked = 0;
    const check = fc.property(programs, (source) => {
      const seen = observe(source);
      if (seen === null) return;
      checked++;
      const manifest = inspectJavaScript(source);
      expect(manifest.globals).toEqual(expect.arrayContaining([...seen.globals]));
      if (manifest.undetermined.includes("members")) return;
      expect([...seen.keys].filter((key) => !HARMLESS.test(key) && !manifest.members.includes(key))).toEqual([]);
    });
    fc.assert(check, options);
    expect(checked).toBeGreaterThan(300);
  });

  test("any text at all has a manifest", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom(..."({[`${}])=>;.,?:+!/\\\"'ab01 \n")).map((c) => c.join("")),
    );
    fc.assert(
      fc.property(text, (source) => void inspectJavaScript(source)),
      { numRuns: 300 },
    );
  });
});

describe("bounds", () => {
  const SIZE = 200_000;
  const times = (text: string, count = Math.floor(SIZE / text.length)) => text.repeat(count);
  test.each([
    ["a long chain of members", `a${times(".b")}`],
    ["a long chain of calls", `f${times("()")}`],
    ["a long list", `[${times("1,")}]`],
    ["many statements", times("a;")],
    ["a long sum", `x=${times("1+")}1`],
    ["deep brackets", times("[")],
    [
      "deep blocks",
      `${times("{let a;", 2000)}${Array.from({ length: 20_000 }, (_, i) => `b${i}`).join(";")}${times("}", 2000)}`,
    ],
    [
      "variables from variables",
      `let v0=0;${Array.from({ length: 5000 }, (_, i) => `let v${i + 1}=v${i};`).join("")}a[v9]`,
    ],
    ["deep templates", times("`${")],
    ["many computed names", `let i=0;${times("a[i+i];")}`],
  ])("%s is answered within seconds, without an overflow", (_title, source) => {
    const start = performance.now();
    expect(inspectJavaScript(source).sourceChars).toBe(source.length);
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  test("a list is cut at 500 names, says so, and keeps the names that matter", () => {
    const padding = Array.from({ length: 600 }, (_, i) => `a.b${i};c${i};a._d${i};`).join("");
    const manifest = inspectJavaScript(`${padding} x.__proto__; x.constructor; eval("1"); fetch;`);
    expect(manifest.members.length).toBeLessThan(520);
    expect(manifest.members).toEqual(expect.arrayContaining(["__proto__", "constructor"]));
    expect(manifest.privateAccess).toEqual(expect.arrayContaining(["__proto__", "constructor"]));
    expect(manifest.globals).toEqual(expect.arrayContaining(["eval", "fetch"]));
    expect(inspectJavaScript(padding)).toMatchObject({ complete: false, undetermined: ["globals", "members"] });
  });

  test("a very long name is cut", () => {
    expect(inspectJavaScript(`import("${"x".repeat(5000)}")`).imports[0]).toHaveLength(201);
  });
});
