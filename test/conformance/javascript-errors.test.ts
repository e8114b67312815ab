/**
 * Errors as the model sees them: type, message, and the place in the source as it was written,
 * for JavaScript and for TypeScript, at run time and before it.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { useSandbox, withoutUsage } from "../fixtures/use-sandbox.ts";

const { run } = useSandbox();

type Row = [source: string, error: string, line: number, column: number];

describe("an error at run time", () => {
  it.each<Row>([
    ["throw new Error('x')", "Error", 1, 7],
    ["\n\n  throw new RangeError('x')", "RangeError", 3, 9],
    ["null.x", "TypeError", 1, 6],
    ["const a = 1; null.x", "TypeError", 1, 19],
    ["missing", "ReferenceError", 1, 1],
    ["function f() {\n  null.x\n}\n\nf()", "TypeError", 2, 8],
    ["const f = () => { null.x }; f()", "TypeError", 1, 24],
    ["await Promise.resolve();\nnull.x", "TypeError", 2, 6],
    ["Promise.reject(new TypeError('x'))", "TypeError", 1, 16],
    ["setTimeout(() => {\n  null.x\n}, 5)", "TypeError", 2, 8],
    ["await new Promise((_, fail) =>\n  setTimeout(() => fail(new Error('x')), 5))", "Error", 2, 25],
    ["new Promise((_, fail) => fail(new Error('x'))); 1", "Error", 1, 31],
    ["[1].map((n) =>\n  n.a.b)", "TypeError", 2, 7],
    ["class E extends Error {}\nthrow new E('x')", "E", 2, 7],
    ["class Gr\u00f6\u00dfe extends Error {}\nthrow new Gr\u00f6\u00dfe('x')", "Gr\u00f6\u00dfe", 2, 7],
    ["const e = new Error('x'); e.name = 'Custom'\nthrow e", "Custom", 1, 11],
    ["'use strict';\nundeclared = 1", "ReferenceError", 2, 12],
    ["const x = 1;\nx = 2", "TypeError", 2, 3],
    ["\tx; let x", "ReferenceError", 1, 2],
    ["#!/usr/bin/env node\nnull.x", "TypeError", 2, 6],
    ["'😀'; null.x", "TypeError", 1, 12],
    ["'a'\r\nnull.x", "TypeError", 2, 6],
    ["//# sourceURL=/etc/passwd\nnull.x", "TypeError", 2, 6],
    ["null.x\n//# sourceURL=/etc/passwd", "TypeError", 1, 6],
    ["JSON.parse('{')", "SyntaxError", 1, 6],
    ["\n  new RegExp('(')", "SyntaxError", 2, 3],
    ["(function f() { f() })()", "RangeError", 1, 11],
  ])("has its type and place: %j", async (source, error, line, column) => {
    const observation = await run(source);
    expect(observation).toMatchObject({ status: "error", error, line });
    // Where a stack overflows is V8's to choose.
    if (!source.includes("f() { f() }")) expect(observation.column).toBe(column);
  });

  it.each<[source: string, error: string, message: string]>([
    ["throw null", "Uncaught", "null"],
    ["throw undefined", "Uncaught", "undefined"],
    ["throw 'text'", "Uncaught", "text"],
    ["throw 5", "Uncaught", "5"],
    ["throw -0", "Uncaught", "-0"],
    ["throw Symbol('s')", "Uncaught", "Symbol(s)"],
    ["throw { message: 'm' }", "Object", "m"],
    ["Promise.reject(1)", "Uncaught", "1"],
    ["Promise.reject('later'); 1", "Uncaught", "later"],
  ])("may be no Error at all: %s", async (source, error, message) => {
    const observation = await run(source);
    expect(observation).toMatchObject({ status: "error", error, message });
    expect(observation.line).toBe(undefined);
  });

  it.each([
    "1n",
    "-10n",
    "1n << 80n",
    "NaN",
    "-0",
    "Infinity",
    "true",
    "null",
    "undefined",
    "'text'",
    "''",
    "'\\ud800'",
  ])("is told in the same words where it was rejected: %s", async (value) => {
    const thrown = await run(`throw ${value}`);
    expect(thrown).toMatchObject({ status: "error", error: "Uncaught" });
    for (const source of [
      `Promise.reject(${value}); 5`,
      `async function f() { throw ${value} } f(); 1`,
      `queueMicrotask(() => { throw ${value} }); 1`,
      `setTimeout(() => { throw ${value} }, 5); 1`,
      `await Promise.reject(${value})`,
      `(async () => { throw ${value} })()`,
    ]) {
      expect(withoutUsage(await run(source))).toEqual(withoutUsage(thrown));
    }
  });

  it.each(["new Map()", "[1, 2]", "Symbol('s')", "{ code: 1 }", "() => 1"])(
    "says so where nothing can be told of what was rejected: %s",
    async (value) => {
      const observation = await run(`Promise.reject(${value}); 5`);
      expect(observation).toMatchObject({ status: "error", error: "Uncaught" });
      expect(observation.message).toMatch(/^A promise was rejected with .*nothing handled it\.$/);
    },
  );

  it("has no name that is none", async () => {
    const source = "const e = new Error('m'); Object.defineProperty(e, 'name', { get() { return null } });";
    for (const end of ["throw e", "Promise.reject(e); 1"]) {
      expect(await run(`${source} ${end}`)).toMatchObject({ status: "error", error: "Error", message: "m" });
    }
  });

  it("of an unhandled rejection ends a program that has a value", async () => {
    expect(await run("Promise.reject(new TypeError('lost'));\n5")).toMatchObject({
      status: "error",
      error: "TypeError",
      message: "lost",
      line: 1,
    });
  });

  it("of a rejection that is handled in time is none", async () => {
    expect(await run("const p = Promise.reject(1); p.catch(() => {}); 5")).toMatchObject({ ok: true, result: 5 });
    expect(await run("await Promise.allSettled([Promise.reject(1)]); 5")).toMatchObject({ ok: true, result: 5 });
  });

  it("shows no more of a stack than the place", async () => {
    const observation = await run("function inner() { throw new Error('x') }\ninner()");
    expect(JSON.stringify(observation)).not.toMatch(/ at |sallyport-|file:|node:|\//);
  });
});

describe("a syntax error", () => {
  it.each<Row>([
    ["let a = ;", "SyntaxError", 1, 9],
    ["const a = 1;\n  a +;", "SyntaxError", 2, 6],
    ["let x = 1;\nlet x = 2", "SyntaxError", 2, 5],
    ["return 1\n}", "SyntaxError", 2, 1],
    ["if (", "SyntaxError", 1, 5],
    ["/(/", "SyntaxError", 1, 2],
    ["'\n'", "SyntaxError", 1, 1],
    ["`", "SyntaxError", 1, 2],
    ["'use strict'; with ({}) {}", "SyntaxError", 1, 15],
    ["import fs from 'fs'", "SyntaxError", 1, 1],
    ["1;\n  export const a = 1", "SyntaxError", 2, 3],
    ["import.meta.url", "SyntaxError", 1, 1],
    ["new.target", "SyntaxError", 1, 1],
    ["break", "SyntaxError", 1, 1],
    ["a\0b", "SyntaxError", 1, 2],
  ])("has its place: %j", async (source, error, line, column) => {
    expect(await run(source)).toMatchObject({ status: "error", error, line, column });
  });

  it.each([
    ["parentheses", "(", ")"],
    ["brackets", "[", "]"],
    ["braces", "{", "}"],
    ["negations", "!", "1"],
    ["templates", "`${", "}`"],
    ["types", "let x: ", ""],
  ])("of %s nested without measure is an error, and the engine goes on", async (_, open, close) => {
    const limits = { sourceChars: 1_000_000, timeoutMs: 5000 };
    const observation = await run(open.repeat(60_000) + close.repeat(60_000), { limits });
    expect(observation).toMatchObject({ status: "error", error: "SyntaxError" });
    expect(await run("const n: number = 2; n")).toMatchObject({ ok: true, result: 2 });
  });
});

describe("syntax that is refused", () => {
  it.each<[source: string, message: RegExp, column: number]>([
    ["@dec class A {}", /^Decorators are not available/, 1],
    ["class A { @dec f() {} }", /^Decorators are not available/, 11],
    ["@dec class A { x: number = 1 }", /^Decorators are not available/, 1],
    ["class A { accessor x = 1 }", /^`accessor` fields are not available/, 20],
    ["class A { static accessor x: number = 1 }", /^`accessor` fields are not available/, 27],
  ])("is refused in one sentence: %s", async (source, message, column) => {
    const observation = await run(source);
    expect(observation).toMatchObject({ status: "error", error: "SyntaxError", line: 1, column });
    expect(observation.message).toMatch(message);
  });

  it("is not seen where it is none", async () => {
    expect(await run("class A { accessor = 1 } new A().accessor")).toMatchObject({ ok: true, result: 1 });
    expect(await run("var using = 1; using")).toMatchObject({ ok: true, result: 1 });
  });
});

describe("using at the top level", () => {
  it.each([
    ["using", "using r = { [Symbol.dispose]() { console.log('gone') } };"],
    ["await using", "await using r = { async [Symbol.asyncDispose]() { console.log('gone') } };"],
    ["using in TypeScript", "using r: Disposable = { [Symbol.dispose]() { console.log('gone') } };"],
  ])("disposes at the end of the program: %s", async (_, declaration) => {
    const observation = await run(`${declaration}\nconsole.log('used');\n5`);
    expect(observation).toMatchObject({ ok: true, result: 5, stdout: ["used", "gone"] });
  });
});

describe("TypeScript", () => {
  it.each<[source: string, result: unknown]>([
    ["const n: number = 2; n", 2],
    ["enum Color { Red = 3, Green } Color.Green", 4],
    ["enum Name { A = 'a' } Name.A", "a"],
    ["enum E { X, Y = X + 5, Z } E[6]", "Z"],
    ["const enum E { A = 1 } E.A", 1],
    ["enum S { A = 'a', B = `${S.A}b` } S", { A: "a", B: "ab" }],
    ["enum S { A = 'a', B = 'b' + 'c', C = A, D = S.B } S", { A: "a", B: "bc", C: "a", D: "bc" }],
    ["enum S { 'x y' = 'q' + '', Z = ('z') } S", { "x y": "q", Z: "z" }],
    ["enum S { x = 1, B = 'x' + '' } S", { 1: "x", x: 1, B: "x" }],
    ["enum M { A = 'a' + '', B = 3, C, D = B + 2 } M", { 3: "B", 4: "C", 5: "D", A: "a", B: 3, C: 4, D: 5 }],
    ["function f() { enum S { A = `a` } return S } f()", { A: "a" }],
    ["interface P { x: number }\nconst p: P = { x: 1 }; p.x", 1],
    ["type Pair<A, B = A> = [A, B]; const p: Pair<number> = [1, 2]; p", [1, 2]],
    ["function id<T>(x: T): T { return x } id<number>(3)", 3],
    ["const id = <T,>(x: T): T => x; id(3)", 3],
    [
      "class P { constructor(private x: number, public readonly y = 2) {} sum() { return this.x + this.y } } new P(1).sum()",
      3,
    ],
    ["abstract class A { abstract f(): number }\nclass B extends A { f() { return 1 } }\nnew B().f()", 1],
    ["class G<T> { items: T[] = []; declare gone: T } Object.keys(new G<number>())", ["items"]],
    ["const x = 1 as unknown as string; x", 1],
    ["const x = <any>1; x", 1],
    ["const o = { a: 1 } satisfies Record<string, number>; o.a", 1],
    ["let x: number | undefined; x!;\n1", 1],
    ["function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: unknown) { return a }\nf(3)", 3],
    ["function f(this: unknown, a?: number): a is number { return a === 1 } f(1)", true],
    ["declare const process: any; typeof process", "undefined"],
    ["declare namespace N { const a: number }\n5", 5],
    ["import type { X } from 'y'; 1", 1],
    ["const t: [first: number, second?: string] = [1]; t", [1]],
    ["const n: number = await Promise.resolve(1); n", 1],
    ["const result: number = 1; 2", 1],
    ["const a: number = 1; return a", 1],
  ])("runs: %s", async (source, result) => {
    expect(await run(source)).toMatchObject({ ok: true, result });
  });

  it.each<[source: string, result: unknown]>([
    ["const a = 3, b = 1, c = 2, d = 1; const f = (...x) => x; f(a < b, c > (d))", [false, true]],
    ["const a = 1, b = 2, c = 3; a < b > (c)", false],
    ["let type = 1; type\n= 2; type", 2],
    ["var namespace = 5, module = 2; namespace\n{ }\nmodule", 2],
    ["var as = 1, x = 2; x\nas", 1],
  ])("that is JavaScript as well is JavaScript: %s", async (source, result) => {
    expect(await run(source)).toMatchObject({ ok: true, result });
  });

  it.each([
    "namespace N { export const a = 1 }",
    "module M { export const a = 1 }",
    "const x: number = 1; namespace A.B { export let c = 1 }",
    "export = 5",
    "/* namespace */ namespace N { export const a = 1 }",
  ])("that cannot be transpiled says so: %s", async (source) => {
    const observation = await run(source);
    expect(observation).toMatchObject({ status: "error", error: "SyntaxError", line: 1 });
    expect(observation.message).toMatch(/namespace/);
  });

  it.each([
    'const n: number = 1; "namespace N { }"',
    "const n: number = 1; // namespace N {\n2",
    "type namespace = 1; 3",
  ])("may speak of namespaces: %j", async (source) => {
    expect(await run(source)).toMatchObject({ ok: true });
  });

  it.each<Row>([
    ["const x: number = 1;\n  null.x", "TypeError", 2, 8],
    ["const x: number = 1; null.x", "TypeError", 1, 27],
    ["function f(a: string, b: number): void { throw new Error('x') }\nf('', 1)", "Error", 1, 48],
    ["interface A {\n  x: number\n}\n\nlet a: A = null\na.x", "TypeError", 6, 3],
    ["enum E {\n  A,\n  B,\n}\nnull.x", "TypeError", 5, 6],
    ["enum E { A = 1, B = A + 1, C = null.x }", "TypeError", 1, 37],
    ["enum E {\n  A = 'a' + 'b',\n  C = null.x }", "TypeError", 3, 12],
    ["class P { constructor(private x: number) { throw new RangeError('x') } } new P(1)", "RangeError", 1, 50],
    ["const f = <T,>(x: T): T => { throw x as unknown }; const e: Error = new Error('x'); f(e)", "Error", 1, 69],
    ["let v: = 3", "SyntaxError", 1, 8],
    ["const a: number = 1;\nconst b: string = ;", "SyntaxError", 2, 19],
    ["const a: number = 1;\nconst a: number = 2", "SyntaxError", 2, 7],
  ])("has errors where they are in the source: %j", async (source, error, line, column) => {
    expect(await run(source)).toMatchObject({ status: "error", error, line, column });
  });
});

/** Pieces of JavaScript and TypeScript that readers stumble over. */
const PIECES = [
  ..."( ) { } [ ] < > ; , . ? : = => ... ` ${ ' \" / \\ * + - ! @ # & | % /* */ // <!-- --> #! ?. ??= **".split(" "),
  ..."a b 1 0n 0x async await function class extends static get set new import export default from as type".split(" "),
  ..."interface enum namespace module declare abstract private readonly satisfies keyof typeof void delete in".split(
    " ",
  ),
  ..."of instanceof let const var if else for do switch case break return throw try catch finally with yield".split(
    " ",
  ),
  ..."super this null eval arguments using accessor @dec <T> 😀 \ud800 \0 \\u0061 \u2028 \ufeff".split(" "),
  "\n",
  "label:",
  ": number",
];

describe("any text at all", () => {
  it("is a program or an error, and never the end of a worker", async () => {
    const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.constantFrom("", " "), async (text, glue) => {
        const observation = await run(text.join(glue), { limits: { timeoutMs: 5000 } });
        expect(["ok", "error"]).toContain(observation.status);
        expect(["EngineError", "RangeError"]).not.toContain(observation.error);
      }),
      { numRuns: 200 },
    );
  });
});
