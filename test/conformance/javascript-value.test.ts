/**
 * The value of a run, rule by rule: `return`, `result`, the last expression, the last printed line, null.
 * Programs of these shapes are what models write; each rule is tried with what could be mistaken for it.
 */

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/limits.ts";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const { run } = useSandbox();

type Row = [source: string, result: unknown];

describe("a top-level return that is executed", () => {
  it.each<Row>([
    ["return 1", 1],
    ["return 1; 2", 1],
    ["var result = 2; return 1", 1],
    ["console.log('x'); return 1", 1],
    ["return null", null],
    ["return;", { $type: "undefined" }],
    ["return undefined; 2", { $type: "undefined" }],
    ["console.log('x'); return Promise.resolve()", { $type: "undefined" }],
    ["const result = 5; return null", null],
    ["if (true) return 1;\nresult = 2", 1],
    ["try { return 1 } finally { result = 2 }", 1],
    ["for (const n of [1, 2, 3]) if (n > 1) return n", 2],
    ["return Promise.resolve(1)", 1],
    ["return await Promise.resolve(1)", 1],
    ["return 1 // the end", 1],
    ["return 1 /* the end */", 1],
    ["return {\n  a: [1]\n}", { a: [1] }],
  ])("is the value: %s", async (source, result) => {
    expect(await run(source)).toMatchObject({ ok: true, result });
  });

  it("is not the value where it is not executed", async () => {
    expect(await run("if (false) return 1;\n2")).toMatchObject({ ok: true, result: 2 });
    expect(await run("function f() { return 1 }\nf(); 3")).toMatchObject({ ok: true, result: 3 });
  });
});

describe("a binding or global named result", () => {
  it.each<Row>([
    ["const result = 1; 2", 1],
    ["let result = 1; 2", 1],
    ["var result = 1; 2", 1],
    ["let result; result = 1; 2", 1],
    ["result = 1; 2", 1],
    ["globalThis.result = 1; 2", 1],
    ["{ var result = 1 } 2", 1],
    ["if (true) { result = 1 } 2", 1],
    ["for (var result = 0; result < 3; result++); 9", 3],
    ["const { result } = { result: 1 }; 2", 1],
    ["const { a: [result = 1] } = { a: [] }; 2", 1],
    ["const [, ...result] = [0, 1, 2]; 3", [1, 2]],
    ["function set() { result = 1 } set(); 2", 1],
    ["const result = null; 2", null],
    ["result = null; 2", null],
    ["const result = Promise.resolve(1); 2", 1],
    ["const result = await Promise.resolve(1); 2", 1],
    ["console.log('x'); const result = 1", 1],
    ["const result = false; 2", false],
    ["const result = ''; 2", ""],
    ["const result = 1; console.log('x')", 1],
    ["setTimeout(() => { result = 1 }, 5); 2", 1],
    ["var result = 1; setTimeout(() => { result = 2 }, 5)", 2],
  ])("is the value: %s", async (source, result) => {
    expect(await run(source)).toMatchObject({ ok: true, result });
  });

  it.each<Row>([
    ["function result() {} 2", 2],
    ["async function result() {} 2", 2],
    ["class result {} 2", 2],
    ["const result = undefined; 2", 2],
    ["let result; 2", 2],
    ["let result = Promise.resolve(undefined); 2", 2],
    ["const result = Promise.resolve(); Promise.resolve(2)", 2],
    ["globalThis.result = Promise.resolve(); 2", 2],
    ["{ let result = 1 } 2", 2],
    ["(() => { var result = 1 })(); 2", 2],
    ["function f() { const result = 1; return result } 2", 2],
    ["const o = { result: 1 }; 2", 2],
    ["const results = 1; 2", 2],
    ["const { result: other } = { result: 1 }; 2", 2],
    ["Object.defineProperty(globalThis, 'result', { get() { return 1 } }); 2", 2],
    ["label: for (const result of [1]) break label; 2", 2],
    ["try { throw 1 } catch (result) {} 2", 2],
  ])("is not the value: %s", async (source, result) => {
    expect(await run(source)).toMatchObject({ ok: true, result });
  });

  it("counts where it is a function that is no declaration", async () => {
    const result = { $type: "function", value: "result" };
    expect(await run("const result = () => 1; 2")).toMatchObject({ ok: true, result });
  });
});

describe("the last statement, if it is an expression", () => {
  it.each<Row>([
    ["1", 1],
    ["1;", 1],
    ["1 // comment", 1],
    ["1 /* comment */", 1],
    ["1 // )", 1],
    ["(1, 2)", 2],
    ["1, 2", 2],
    ["({ a: 1 })", { a: 1 }],
    ["let x = 1; x = 2", 2],
    ["let x = 1; x++", 1],
    ["[1, 2].map((n) => n * 2)", [2, 4]],
    ["`a${1}`", "a1"],
    ["`}})();`", "}})();"],
    ["1 <!-- comment\n+ 1", 2],
    ["const f = () => {\n  return 1\n}\nf()", 1],
    ["await 1", 1],
    ["await Promise.all([1, Promise.resolve(2)])", [1, 2]],
    ["(async () => 1)()", 1],
    ["Promise.resolve(1)", 1],
    ["new Promise((done) => setTimeout(() => done(1), 10))", 1],
    ["async function main() { return 1 }\nmain()", 1],
    ["null", null],
    ["false", false],
    ["'text'", "text"],
    ["void 0, 5", 5],
    ["var $value = 1; $value", 1],
    ["const slot = { last: 1, result: 2 }; slot.last", 1],
    ["a: { break a }\n1", 1],
    ["'use strict';\n1", 1],
    ["if (true) {\n  var x = 1\n}\nx", 1],
    ["#!/usr/bin/env node\n1", 1],
    ["\ufeff1", 1],
    ["arguments.length", 0],
    ["this === globalThis", true],
    ["typeof await 1", "number"],
  ])("is the value: %s", async (source, result) => {
    expect(await run(source)).toMatchObject({ ok: true, result });
  });

  it.each([
    "if (true) { 1 }",
    "for (const n of [1]) n",
    "{ 1 }",
    "1; let x = 2",
    "1; function f() {}",
    "switch (1) { case 1: 2 }",
    "try { 1 } catch {}",
    "undefined",
    "void 1",
    "(() => {})()",
    "Promise.resolve()",
    "[].forEach(() => 1)",
    "const a = 1",
    "function f() { return 1 }",
    "class A {}",
    "",
    ";",
    "// only a comment",
    "'use strict'",
  ])("is no value where it is another statement or undefined: %j", async (source) => {
    expect(await run(source)).toMatchObject({ ok: true, result: null });
  });
});

describe("the last printed line", () => {
  it.each<Row>([
    ["console.log(5)", "5"],
    ["console.log('a'); console.log('b')", "b"],
    ["console.log('a\\nb')", "b"],
    ["console.log('a'); const x = 1", "a"],
    ["console.log('a'); undefined", "a"],
    ["console.log({ a: 1 })", "{ a: 1 }"],
    ["console.error('e')", "e"],
    ["const result = undefined; console.log('a')", "a"],
    ["const result = Promise.resolve(); console.log('a')", "a"],
    ["console.log('a'); Promise.resolve()", "a"],
    ["setTimeout(() => console.log('late'), 5)", 1],
    ["setTimeout(() => console.log('late'), 5); undefined", "late"],
    ["console.log('a'); await new Promise((done) => setTimeout(done, 5))", "a"],
  ])("is the value where there is no other: %s", async (source, result) => {
    expect(await run(source)).toMatchObject({ ok: true, result });
  });

  it.each([
    ["that is escaped past the limit", "console.log('\\u0001'.repeat(12_000))", LIMITS.resultBytes.default],
    ["of more bytes than characters", "console.log('é'.repeat(10))", 20],
    ["that is too long", "console.log('long enough')", LIMITS.resultBytes.min],
  ])("%s is in the output, and no reason to fail", async (_, source, resultBytes) => {
    const observation = await run(source, { limits: { resultBytes } });
    expect(observation).toMatchObject({ ok: true, result: null });
    expect(observation.stdout).toHaveLength(1);
  });

  it("is not missed by a program without a value, whatever the limit", async () => {
    const limits = { resultBytes: LIMITS.resultBytes.min };
    expect(await run("let x = 1", { limits })).toMatchObject({ ok: true, result: null });
  });

  it("is no value of a program that has another, be it null", async () => {
    expect(await run("console.log('a'); null")).toMatchObject({ result: null, stdout: ["a"] });
    expect(await run("console.log('a'); 0")).toMatchObject({ result: 0, stdout: ["a"] });
  });
});

describe("a program's own text", () => {
  it.each([
    "}); globalThis.escaped = 1; (async () => { 1",
    "1})()\n;(() => { 2",
    "return 1 }\n{",
    "*/ 1 /*",
    "1) + (2",
    "1 /*",
  ])("does not break out of what is wrapped around it: %s", async (source) => {
    expect(await run(source)).toMatchObject({ status: "error", error: "SyntaxError" });
  });

  it.each<Row>([
    ["return 1 //", 1],
    ["1 //# sourceURL=/etc/passwd", 1],
    ["`\n\n${1}\n`.trim()", "1"],
    ["1\n//", 1],
    ["1\r\n// x\r\n", 1],
  ])("may end in a comment or a template: %j", async (source, result) => {
    expect(await run(source)).toMatchObject({ ok: true, result });
  });
});
