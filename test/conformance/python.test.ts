/**
 * A handful of Python for `npm test`: that it runs, fails and ends as the contract says. The conformance suite and all
 * that is particular to Python stand in the long tests.
 */

import { describe, expect, it } from "vitest";
import { useSandbox } from "../fixtures/use-sandbox.ts";
import { PYTHON_PROGRAMS } from "./python-programs.ts";

describe("Python", () => {
  const { run: runAny } = useSandbox({ workers: 1, standby: 0, python: { workers: 1, prepared: 1 } });
  const run: typeof runAny = (source, asked) => runAny(source, { language: "python", ...asked });

  it("tells a value, and prints", async () => {
    const source = "import math\nprint(math.floor(2.5))\n[1, (2, 3), {'a': None}]";
    expect(await run(source)).toMatchObject({ ok: true, result: [1, [2, 3], { a: null }], stdout: ["2"] });
  });

  it.each([
    ["a letter beyond 16 bits", "result = [len('\u{1d11e}'), '\u{1d11e}é']", { result: [1, "\u{1d11e}é"] }],
    ["half a letter", "result = '\ud800'", { status: "error", error: "UnicodeEncodeError" }],
    ["a zero", "result = 'a\0b'", { status: "error", error: "SyntaxError" }],
    ["nothing", "", { ok: true, result: null }],
  ])("is given the program as it is: %s", async (_what, source, expected) => {
    expect(await run(source)).toMatchObject(expected);
  });

  it("takes a name that is allowed as it is written: of two words it is no name, and none is not all", async () => {
    const permits = { dynamicCode: true, globals: ["len print", "len\nprint", "", "sum"] };
    expect(await run("sum([1, 2])", { permits })).toMatchObject({ ok: true, result: 3 });
    expect(await run("print(1)", { permits })).toMatchObject({ error: "NameError" });
    expect(await run("sum([1])", { permits: { dynamicCode: true, globals: [] } })).toMatchObject({
      error: "NameError",
    });
    expect(await run("import math", { permits: { dynamicCode: true, modules: [] } })).toMatchObject({
      error: "ImportError",
    });
  });

  it("names the exception, with its line and column", async () => {
    const { source, ...where } = PYTHON_PROGRAMS.failsAtRunTime;
    expect(await run(source)).toMatchObject({ status: "error", ...where });
  });

  it("reads its input, its seed and its clock", async () => {
    const source = "import random, time\n[input['a'], random.random(), time.time()]";
    const asked = { input: { a: 1 }, seed: 5, now: 1_000_000 };
    const first = await run(source, asked);
    expect(first).toMatchObject({ ok: true, result: [1, expect.any(Number), 1000] });
    expect((await run(source, asked)).result).toEqual(first.result);
  });

  it("finds nothing of the host", async () => {
    expect(await run("open('/etc/passwd')")).toMatchObject({ status: "error", error: "FileNotFoundError" });
    const { result } = await run("import os\n[os.system('id'), dict(os.environ)]");
    expect(result).toMatchObject([-1, { HOME: "/home/sandbox" }]);
    expect(JSON.stringify(result)).not.toContain(process.env.PATH);
  });

  it("ends where its time is over, and keeps what it printed", async () => {
    const observation = await run("print('before')\nwhile True: pass", { limits: { timeoutMs: 300 } });
    expect(observation).toMatchObject({ status: "timeout", stdout: ["before"] });
  });

  it("keeps a line that has not ended as well, where it was flushed", async () => {
    const source = "print('one')\nprint('step 1... ', end='', flush=True)\nwhile True: pass";
    const lines: string[] = [];
    const observation = await run(source, { limits: { timeoutMs: 300 }, onStdout: (line) => lines.push(line) });
    expect(observation).toMatchObject({ status: "timeout", stdout: ["one", "step 1... "] });
    expect(observation.truncated).toBe(undefined);
    expect(lines).toEqual(observation.stdout);
  });

  it("shows bytes that are no text, and the letters behind them", async () => {
    const source = "import sys\nsys.stdout.buffer.write(b'\\xffHello\\n' + 'café (x) y'.encode('latin-1'))\nNone";
    expect(await run(source)).toMatchObject({ ok: true, stdout: ["\ufffdHello", "caf\ufffd (x) y"] });
  });
});
