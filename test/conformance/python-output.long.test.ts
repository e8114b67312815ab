/**
 * What a Python program has flushed of a line that has not ended: kept whatever ends the run, one entry with the rest of its
 * line, and within the limits of lines. By real workers, through all that lies between a program and its observation.
 */

import { describe, expect, it } from "vitest";
import { createPolicy } from "../../src/policy/evaluate.ts";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const { run: runAny } = useSandbox({ workers: 1, standby: 0, python: { workers: 1, prepared: 1 } });
const run: typeof runAny = (source, asked) =>
  runAny(source, { language: "python", limits: { timeoutMs: 20_000 }, ...asked });

const PART = "print('one')\nprint('two... ', end='', flush=True)\n";
const LOOP = "while True: pass";
/** A built-in of V8 that no time limit of the isolate stops. */
const NO_STOP =
  "from pyodide.ffi import to_js\nto_js([]).constructor.constructor('[].reverse.call({ length: 2 ** 53 - 1 })')()";
const HEAP_BOMB =
  "from pyodide.ffi import to_js\nto_js([]).constructor.constructor('const kept = []; for (;;) kept.push({ kept: [1, 2, 3] })')()";

describe("the part of a line that was flushed", () => {
  it.each<[end: string, expected: object, source: string, timeoutMs: number]>([
    ["a value", { status: "ok", result: 1 }, "1", 20_000],
    ["an error", { status: "error", error: "ZeroDivisionError" }, "1 / 0", 20_000],
    ["a timeout", { status: "timeout" }, LOOP, 1000],
    ["SIGKILL in a built-in", { status: "timeout" }, NO_STOP, 1000],
    ["a MemoryError", { error: "MemoryError" }, "kept = []\nwhile True: kept.append(bytearray(10 ** 6))", 20_000],
    ["a memory limit", { status: "memory_limit" }, HEAP_BOMB, 20_000],
    ["an end of the interpreter", { error: "EngineError" }, "import os\nos._exit(1)", 20_000],
  ])("is kept when the run ends in %s", async (_end, expected, source, timeoutMs) => {
    const lines: string[] = [];
    const observation = await run(PART + source, { limits: { timeoutMs }, onStdout: (line) => lines.push(line) });
    expect(observation).toMatchObject({ ...expected, stdout: ["one", "two... "] });
    expect(observation.truncated).toBe(undefined);
    expect(lines).toEqual(["one", "two... "]);
  });

  it("is kept when the caller gives up, and not told any more", async () => {
    const controller = new AbortController();
    const lines: string[] = [];
    const source = `import sys\nprint('two... ', end='', flush=True)\nprint('one', file=sys.stderr)\n${LOOP}`;
    const observation = await run(source, {
      signal: controller.signal,
      onStdout(line) {
        lines.push(line);
        controller.abort();
      },
    });
    expect(observation).toMatchObject({ status: "cancelled", stdout: ["one", "two... "] });
    expect(lines).toEqual(["one"]);
  });

  it.each([
    ["by sys.stdout.flush", "sys.stdout.write('part')\nsys.stdout.flush()"],
    ["as bytes", "sys.stdout.buffer.write(b'part')\nsys.stdout.buffer.flush()"],
    ["by a line before it", "sys.stdout.write('one\\npart')"],
    ["by its file's descriptor", "import os\nos.write(1, b'part')"],
    ["to stderr", "print('part', end='', flush=True, file=sys.stderr)"],
  ])("is kept where it is flushed %s", async (_how, source) => {
    const observation = await run(`import sys\n${source}\n${LOOP}`, { limits: { timeoutMs: 1000 } });
    expect(observation).toMatchObject({ status: "timeout" });
    expect(observation.stdout.at(-1)).toBe("part");
  });

  it("is kept under every policy", async () => {
    for (const name of ["strict", "standard"] as const) {
      const permits = createPolicy(name).permits("python");
      const observation = await run(PART + LOOP, { permits, limits: { timeoutMs: 1000 } });
      expect(observation).toMatchObject({ status: "timeout", stdout: ["one", "two... "] });
    }
  });

  it("is one entry with the rest of its line, where that line ends", async () => {
    const lines: string[] = [];
    const source = `import sys
for word in ('one ', 'two ', 'é😀'):
    print(word, end='', flush=True)
    print(word, file=sys.stderr)
print()
print('end')`;
    const observation = await run(source, { onStdout: (line) => lines.push(line) });
    expect(observation).toMatchObject({ ok: true, result: "end" });
    expect(observation.stdout).toEqual(["one ", "two ", "é😀", "one two é😀", "end"]);
    expect(lines).toEqual(observation.stdout);
  });

  it.each<[end: string, source: string, status: string]>([
    ["a line", "print()", "ok"],
    ["nothing", "None", "ok"],
    ["a timeout", LOOP, "timeout"],
  ])("is whole after ten thousand flushes of a letter each, which end in %s", async (_end, source, status) => {
    const timeoutMs = status === "ok" ? 20_000 : 5000;
    const observation = await run(`for n in range(10000): print(n % 10, end='', flush=True)\n${source}`, {
      limits: { timeoutMs },
    });
    expect(observation).toMatchObject({ status, stdout: ["0123456789".repeat(1000)] });
    expect(observation.truncated).toBe(undefined);
  });

  it.each<[end: string, source: string, status: string]>([
    ["a line", "print()", "ok"],
    ["nothing", "None", "ok"],
    ["a timeout", LOOP, "timeout"],
    ["SIGKILL", NO_STOP, "timeout"],
  ])("is cut at the limit of output, and said to be, where it ends in %s", async (_end, source, status) => {
    const observation = await run(`print('one')\nfor n in range(20): print('é', end='', flush=True)\n${source}`, {
      limits: { stdoutBytes: 15, timeoutMs: status === "ok" ? 20_000 : 500 },
    });
    expect(observation).toMatchObject({ status, stdout: ["one", "é".repeat(5)], truncated: ["stdout"] });
  });

  it("leaves the room to whole lines, as a line has it that is not flushed", async () => {
    const flood = "for n in range(5): print('x' * 10, file=sys.stderr)";
    const source = (flush: string) => `import sys\nprint('y' * 40, end='', flush=${flush})\n${flood}`;
    const limits = { stdoutBytes: 60, timeoutMs: 20_000 };
    const [flushed, held] = [await run(source("True"), { limits }), await run(source("False"), { limits })];
    expect(flushed.stdout).toEqual([...Array<string>(5).fill("x".repeat(10)), "y".repeat(5)]);
    expect(flushed).toMatchObject({ stdout: held.stdout, truncated: ["stdout"] });
  });

  it("for ever does not keep the deadline from being met", async () => {
    const source = "import sys\nwhile True:\n    sys.stdout.write('x')\n    sys.stdout.flush()";
    const observation = await run(source, { limits: { timeoutMs: 3000, stdoutBytes: 5000 } });
    expect(observation).toMatchObject({ status: "timeout", truncated: ["stdout"] });
    expect(observation.stdout).toEqual(["x".repeat(5000)]);
    expect(observation.usage.wallMs).toBeLessThan(6000);
  });
});

describe("bytes that are no text", () => {
  it("are shown as Node would show them, however they are written", async () => {
    const bytes = Array.from({ length: 3000 }, (_, index) => (index * 7919 + (index >> 3) * 104_729) % 256).filter(
      (byte) => byte !== 10,
    );
    const expected = new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
    const write = (step: number) =>
      `import sys\ndata = bytes(input)\nfor n in range(0, len(data), ${step}):\n    sys.stdout.buffer.write(data[n:n + ${step}])\n    sys.stdout.buffer.flush()`;
    for (const step of [1, 3, 5000]) {
      expect(await run(write(step), { input: bytes })).toMatchObject({ ok: true, stdout: [expected] });
    }
  });

  it("are cut by what is shown for them, and no fault of the worker", async () => {
    const source = "import sys\nsys.stdout.buffer.write(b'\\x80' * 16384)\n1";
    const observation = await run(source);
    expect(observation).toMatchObject({ ok: true, result: 1, truncated: ["stdout"] });
    expect(observation.stdout).toEqual(["\ufffd".repeat(5461)]);
  });
});
