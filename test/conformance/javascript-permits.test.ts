/**
 * What a policy takes away at run time: with dynamic code denied no text becomes code by any road,
 * and with an allowlist of globals the others are gone from the program's world.
 */

import { describe, expect, it } from "vitest";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const { run } = useSandbox();

const DENIED = { permits: { dynamicCode: false } };

describe("with dynamic code denied", () => {
  it.each([
    "eval('1')",
    "(0, eval)('1')",
    "globalThis.eval('1')",
    "globalThis['ev' + 'al']('1')",
    "Function('return 1')()",
    "new Function('return 1')()",
    "(() => {}).constructor('return 1')()",
    "(function () {}).constructor('return 1')()",
    "(class {}).constructor('return 1')()",
    "({ m() {} }).m.constructor('return 1')()",
    "[].map.constructor('return 1')()",
    "[].constructor.constructor('return 1')()",
    "''.constructor.constructor('return 1')()",
    "console.log.constructor('return 1')()",
    "setTimeout.constructor('return 1')()",
    "URL.constructor('return 1')()",
    "Object.getPrototypeOf(() => {}).constructor('return 1')()",
    "(async () => {}).constructor('return 1')()",
    "Object.getPrototypeOf(async () => {}).constructor('return 1')()",
    "(function* () {}).constructor('return 1')().next()",
    "Object.getPrototypeOf(function* () {}).constructor('return 1')().next()",
    "(async function* () {}).constructor('return 1')().next()",
    "Object.getPrototypeOf(async function* () {}).constructor('return 1')().next()",
    "Object.getPrototypeOf(Object.getPrototypeOf(async () => {})).constructor('return 1')()",
    "Reflect.construct(Function, ['return 1'])()",
    "Reflect.construct(Function, ['return 1'], Object)()",
    "Reflect.apply(Function, null, ['return 1'])()",
    "Reflect.get(() => {}, 'constructor')('return 1')()",
    "Object.getOwnPropertyDescriptor(Function.prototype, 'constructor').value('return 1')()",
    "new (class extends Function {})('return 1')()",
    "Function.bind(null, 'return 1')()()",
    "Function.prototype.constructor.call(null, 'return 1')()",
    "new Proxy(Function, {})('return 1')()",
    "structuredClone.constructor.constructor('return 1')()",
    "new Error().constructor.constructor('return 1')()",
    "try { null.x } catch (error) { error.constructor.constructor('return 1')() }",
    "setTimeout('globalThis.ran = 1', 0); setTimeout(() => console.log(globalThis.ran), 5)",
    "await import('data:text/javascript,export default 1')",
    "JSON.parse('1', ''.constructor.constructor)()",
    "[1].map(Function)[0]()",
  ])("no text becomes code: %s", async (source) => {
    const observation = await run(source, DENIED);
    expect(observation).toMatchObject({ status: "error" });
    expect(["EvalError", "ReferenceError", "TypeError", "Error"]).toContain(observation.error);
    expect(observation.stdout).toEqual([]);
  });

  it.each<[source: string, result: unknown]>([
    ["[typeof eval, 'eval' in globalThis]", ["undefined", false]],
    ["(() => {}) instanceof Function", true],
    ["(async () => {}) instanceof Function", true],
    ["Object.getOwnPropertyNames(globalThis).includes('Function')", true],
    ["[1, 2].map((n) => n * 2)", [2, 4]],
    ["const f = async () => 1; await f()", 1],
    ["[...(function* () { yield 1 })()]", [1]],
    ["new URL('http://a.b/?q=1').searchParams.get('q')", "1"],
    ["const n: number = 1; n", 1],
    ["class A { constructor() { this.x = 1 } } new A().constructor.name", "A"],
    ["(() => {}).constructor.name", "Function"],
  ])("the rest works as before: %s", async (source, result) => {
    expect(await run(source, DENIED)).toMatchObject({ ok: true, result });
  });

  it("it is denied for that run alone", async () => {
    const both = await Promise.all([run("eval('1')", DENIED), run("eval('1') + new Function('return 1')()")]);
    expect(both.map(({ status }) => status)).toEqual(["error", "ok"]);
    expect(await run("(async () => {}).constructor('return 1')()")).toMatchObject({ ok: true, result: 1 });
  });
});

describe("with globals by allowlist", () => {
  const allow = (...globals: string[]) => ({ permits: { dynamicCode: false, globals } });

  it("only those named are there", async () => {
    const observation = await run(
      "Object.getOwnPropertyNames(globalThis).sort()",
      allow("Math", "Object", "globalThis", "notThere"),
    );
    expect(observation.result).toEqual(["Infinity", "Math", "NaN", "Object", "globalThis", "undefined"]);
  });

  it.each(["console.log(1)", "Math.max(1)", "new Map()", "setTimeout(() => {})", "JSON", "globalThis", "URL", "Date"])(
    "%s is gone where it is not named",
    async (source) => {
      expect(await run(source, allow("Array"))).toMatchObject({ status: "error", error: "ReferenceError" });
    },
  );

  it.each<[source: string, globals: string[], result: unknown]>([
    ["[1, 2].map((n) => n + 1)", [], [2, 3]],
    ["`${1}` + { a: 'x' }.a", [], "1x"],
    ["undefined", [], null],
    ["console.log('a'); 1", ["console"], 1],
    ["await new Promise((done) => setTimeout(done, 5)); 1", ["Promise", "setTimeout"], 1],
    ["structuredClone(new Uint16Array([300]))[0]", ["structuredClone", "Uint16Array"], 300],
    ["const result = 5; 1", [], 5],
    ["result = 5; 1", [], 5],
    ["new URL('http://a.b/?q=1').href", ["URL"], "http://a.b/?q=1"],
    ["new Date(0).toISOString()", ["Date"], "1970-01-01T00:00:00.000Z"],
  ])("%s works with %j", async (source, globals, result) => {
    expect(await run(source, allow(...globals))).toMatchObject({ ok: true, result });
  });

  it("the input is there all the same", async () => {
    expect(await run("input", { input: 4, ...allow() })).toMatchObject({ ok: true, result: 4 });
  });

  it("values and errors are told all the same", async () => {
    expect(await run("[1n, { a: [] }]", allow())).toMatchObject({
      result: [{ $type: "bigint", value: "1" }, { a: [] }],
    });
    expect(await run("null.x", allow())).toMatchObject({ status: "error", error: "TypeError", line: 1, column: 6 });
  });
});
