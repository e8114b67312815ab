/**
 * What a program prints: every line kept whatever ends the run, in order, streamed, cut at its limits and said to be cut.
 * Then how values look when they are printed.
 */

import { describe, expect, it } from "vitest";
import { LIMITS, MAX_STDOUT_LINES } from "../../src/limits.ts";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const { run } = useSandbox();

describe("printed lines", () => {
  it.each<[end: string, status: string, source: string]>([
    ["a value", "ok", "1"],
    ["an error", "error", "null.x"],
    ["a rejection", "error", "Promise.reject(1)"],
    ["a deadlock", "error", "await new Promise(() => {})"],
    ["too many timers", "error", "setInterval(() => {}, 1)"],
    ["a result too large", "output_limit", "'x'.repeat(1e6)"],
    ["a loop", "timeout", "for (;;);"],
    ["a microtask loop", "timeout", "for (;;) await 0"],
    ["SIGKILL in a built-in", "timeout", "[].reverse.call({ length: 2 ** 53 - 1 })"],
  ])("are kept when the run ends in %s", async (_, status, source) => {
    const observation = await run(`console.log("one"); console.log("two\\nthree"); ${source}`, {
      limits: { timeoutMs: status === "timeout" ? 300 : 5000 },
    });
    expect(observation).toMatchObject({ status, stdout: ["one", "two", "three"] });
  });

  it.each<[where: string, source: string]>([
    ["the isolate's heap", "const kept = []; for (;;) kept.push({ kept: [1, 2, 3] })"],
    ["one array", "new Array(2 ** 27).fill(0)"],
    ["one text", "let text = 'x'; for (;;) text = (text + text).split('').join('y')"],
  ])("are kept when memory runs out in %s", async (_, source) => {
    const observation = await run(`console.log("one"); ${source}`, { limits: { timeoutMs: 20_000 } });
    expect(observation).toMatchObject({ status: "memory_limit", stdout: ["one"] });
  });

  it("are kept up to a thousand, and the rest is said to be cut", async () => {
    const just = await run("for (let n = 0; n < 1000; n++) console.log(n); 'end'");
    expect(just).toMatchObject({ ok: true, result: "end" });
    expect(just.stdout).toHaveLength(MAX_STDOUT_LINES);
    expect(just.truncated).toBe(undefined);
    const more = await run("for (let n = 0; n < 1001; n++) console.log(n); 'end'");
    expect(more).toMatchObject({ ok: true, result: "end", truncated: ["stdout"] });
    expect(more.stdout).toEqual(just.stdout);
  });

  it.each<[string, string]>([
    ["one line", "console.log('x'.repeat(20_000))"],
    ["one line of emoji", "console.log('😀'.repeat(20_000))"],
    ["many lines", "for (let n = 0; n < 900; n++) console.log('x'.repeat(40))"],
    ["lines in one text", "console.log('x\\n'.repeat(9000))"],
    ["an object", "console.log({ a: 'x'.repeat(9000), b: 'x'.repeat(9000) })"],
    ["two texts", "console.log('x'.repeat(10_000), 'x'.repeat(10_000))"],
    ["a format", "console.log('%s', 'x'.repeat(20_000))"],
    ["empty lines", "for (let n = 0; n < 20_000; n++) console.log()"],
  ])("too large in %s are cut at the limit, and said to be cut", async (_, source) => {
    const observation = await run(`${source}; 1`);
    const bytes = Buffer.byteLength(observation.stdout.join("\n"));
    expect(bytes).toBeLessThanOrEqual(LIMITS.stdoutBytes.default);
    expect(observation).toMatchObject({ ok: true, truncated: ["stdout"] });
    expect(observation.stdout.join("")).toMatch(/^[^\ud800-\udfff]*$/u);
  });

  it("come in the order in which they were printed, whoever printed them", async () => {
    const observation = await run(`
      setTimeout(() => console.log("timer 10"), 10);
      setTimeout(() => { console.log("timer 5"); queueMicrotask(() => console.log("microtask of timer 5")) }, 5);
      setTimeout(() => console.log("timer 5 again"), 5);
      Promise.resolve().then(() => console.log("microtask"));
      console.error("sync");
      await null;
      console.log("after await");`);
    expect(observation.stdout).toEqual([
      "sync",
      "microtask",
      "after await",
      "timer 5",
      "microtask of timer 5",
      "timer 5 again",
      "timer 10",
    ]);
  });

  it("are handed over one by one, the same as in the observation", async () => {
    const lines: string[] = [];
    const observation = await run("for (let n = 0; n < 50; n++) console.log('line', n)", {
      onStdout: (line) => lines.push(line),
    });
    expect(lines).toHaveLength(50);
    expect(observation.stdout).toEqual(lines);
  });

  it("may hold anything, and lines end at \\n alone", async () => {
    const text = "\u0000 \u001b[31m \u202e \u2028 \r é 😀 \ufffe";
    expect(await run(`console.log(${JSON.stringify(`${text}\n\nend\n`)})`)).toMatchObject({
      stdout: [text, "", "end", ""],
    });
  });

  it("of a listener that throws are no fault of the worker: the call ends in the listener's own error", async () => {
    const running = run("console.log(1); console.log(2); 3", {
      onStdout: (line) => {
        throw new RangeError(`mine at ${line}`);
      },
    });
    await expect(running).rejects.toThrow(new RangeError("mine at 1"));
    expect(await run("console.log(1); 2")).toMatchObject({ ok: true, result: 2, stdout: ["1"] });
  });
});

describe("a printed value", () => {
  it.each<[source: string, line: string]>([
    ["'text'", "text"],
    ["'a', 1, true", "a 1 true"],
    ["null, undefined, -0, 1n, Symbol('s')", "null undefined -0 1n Symbol(s)"],
    ["[1, 'a', [2]]", "[ 1, 'a', [ 2 ] ]"],
    ["{ a: 1, 'b-c': { d: 'e' } }", "{ a: 1, 'b-c': { d: 'e' } }"],
    ["[1, , 3]", "[ 1, <empty>, 3 ]"],
    ["[], {}", "[] {}"],
    ["new Map([[1, { a: 2 }]])", "Map(1) { 1 => { a: 2 } }"],
    ["new Set(['a'])", "Set(1) { 'a' }"],
    ["new Date(0)", "1970-01-01T00:00:00.000Z"],
    ["/x/g", "/x/g"],
    ["new Uint8Array(2)", "Uint8Array(2) [ 0, 0 ]"],
    ["() => 1, function f() {}, class A {}", "[Function (anonymous)] [Function: f] [Function: A]"],
    ["new RangeError('m')", "RangeError: m"],
    ["[new Error('m')]", "[ [Error: m] ]"],
    ["new (class P { x = 1 })()", "P { x: 1 }"],
    ["Object.create(null)", "[Object: null prototype] {}"],
    ["{ get a() { throw 1 } }", "{ a: [Getter] }"],
    ["(() => { const o = {}; o.o = o; return o })()", "{ o: [Circular *1] }"],
    ["'%s is %d, %i, %f and %j%%', 'x', 1.5, 2.9, '3', 4", "x is 1.5, 2, 3 and 4%"],
    ["'100%', 5", "100% 5"],
    ["'%s'", "%s"],
  ])("console.log(%s) prints %s", async (source, line) => {
    expect(await run(`console.log(${source})`)).toMatchObject({ ok: true, stdout: [line] });
  });

  it("has everyday company on the console", async () => {
    const observation = await run(`
      console.info("i"); console.debug("d"); console.warn("w"); console.error("e"); console.trace("t");
      console.dir({ a: 1 }); console.table([{ a: 1 }]);
      console.group("G"); console.log("in"); console.group(); console.log("deep\\nline"); console.groupEnd();
      console.groupEnd(); console.groupEnd(); console.log("out");
      console.count(); console.count("x"); console.count(); console.countReset(); console.count();
      console.assert(true, "no"); console.assert(false); console.assert(false, "bad %s", "x");
      console.time("t"); await new Promise((done) => setTimeout(done, 40)); console.timeEnd("t");`);
    expect(observation.stdout).toEqual([
      ..."idwet",
      "{ a: 1 }",
      "[ { a: 1 } ]",
      "G",
      "  in",
      "    deep",
      "    line",
      "out",
      "default: 1",
      "x: 1",
      "default: 2",
      "default: 1",
      "Assertion failed",
      "Assertion failed: bad x",
      "t: 40ms",
    ]);
  });
});
