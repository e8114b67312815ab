/**
 * Attacks by what a value is: everything that a program can throw, reject, return or print comes to an answer,
 * and to no exception in the worker's own code. Seeded by fast-check, which prints the seed of a failure.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectNothingOfTheHost, expectWellFormed, useAttackedSandbox } from "./attack.ts";

const { run } = useAttackedSandbox();

/** Expressions whose values readers stumble over; `v` is another such value. */
const LEAVES = [
  ..."undefined null true NaN -0 Infinity 0n -1n 1n<<4000n '' '\\ud800' '\\0' Symbol() Symbol('s') Symbol.iterator".split(
    " ",
  ),
  ..."[] {} [,1] new(Map) new(Set) new(Date)(NaN) /x/g (()=>1) class{} (function*(){})() async()=>{} Object.create(null)".split(
    " ",
  ),
  ..."new(Error)('m') new(AggregateError)([1n],'m') Promise.resolve(1n) new(Proxy)({},{}) new(ArrayBuffer)(3) Math".split(
    " ",
  ),
  ..."new(Float64Array)(2) new(BigInt64Array)(2) new(WeakMap) Object(1n) Object(Symbol()) globalThis arguments".split(
    " ",
  ),
  "new Proxy({}, { get() { throw 1n } })",
  "new Proxy(() => {}, { getPrototypeOf() { throw 1n }, ownKeys() { return [1n] } })",
  "(() => { const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy })()",
];
const WRAPS = [
  "[v]",
  "({ v })",
  "({ $type: v, __proto__: null })",
  "({ then: v })",
  "({ toJSON: () => v, toString: () => v, valueOf: () => v })",
  "new Map([[v, v]])",
  "Object.assign(new Error('m'), { message: v })",
  "Object.assign(new Error('m'), { name: v })",
  "Object.assign(new Error('m'), { stack: v })",
  "Object.assign(new Error('m'), { cause: v, constructor: v })",
  "Object.defineProperty(new Error('m'), 'message', { get() { return v } })",
  "Object.defineProperty(new Error('m'), 'name', { get() { throw v } })",
  "Object.defineProperty(new Error('m'), 'stack', { get() { return v } })",
  "Object.setPrototypeOf(new Error('m'), Object(v))",
  "Object.create(Object(v))",
  "Object.assign(() => 1, { name: v, constructor: v, [Symbol.toStringTag]: v })",
  "({ [Symbol.toStringTag]: v, [Symbol.toPrimitive]: v })",
  "new Proxy(Object(v), { get: () => v })",
  "(() => { Error.prepareStackTrace = () => v; return new Error('m') })()",
];
const ENDS = [
  "throw v",
  "Promise.reject(v); 5",
  "async function f() { throw v } f(); 1",
  "queueMicrotask(() => { throw v }); 1",
  "setTimeout(() => { throw v }, 1); 1",
  "setTimeout(() => { Promise.reject(v) }, 1); 1",
  "await Promise.reject(v)",
  "Promise.reject(v); Promise.reject(v); throw v",
  "return v",
  "v",
  "const result = v; 1",
  "globalThis.result = v; 1",
  "console.log(v); console.log('%s %d %i %j', v, v, v, v); console.table(v); console.assert(v, v)",
  "console.count(v); console.time(v); console.timeEnd(v); console.group(v); console.dir(v)",
  "structuredClone(v)",
  "throw { get message() { return v }, name: v }",
  "Promise.reject({ message: v, stack: v, name: v }); 1",
];

describe("any value at all", () => {
  it("thrown, rejected, returned or printed is answered by the engine", async () => {
    const values = fc.tuple(fc.constantFrom(...LEAVES), fc.array(fc.constantFrom(...WRAPS), { maxLength: 2 }));
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom(...ENDS), async ([leaf, wraps], end) => {
        const made = wraps.map((wrap) => `v = ((v) => ${wrap})(v);`).join("\n");
        const source = `let v = ${leaf};\ntry { ${made} } catch {}\n${end}`;
        const observation = await run(source, { limits: { timeoutMs: 10_000 } });
        expect(["ok", "error", "output_limit"], source).toContain(observation.status);
        expect(observation.error, source).not.toBe("EngineError");
        expectWellFormed(observation, 10_000);
        expectNothingOfTheHost(observation);
      }),
      { numRuns: 300 },
    );
  });
});
