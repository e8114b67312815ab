/**
 * What a person reads of a Python program that failed: type, message, line and column in the source as it was written.
 */

import { describe, expect, it } from "vitest";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const { run: runAny } = useSandbox({ workers: 1, standby: 0 });
const run: typeof runAny = (source, asked) => runAny(source, { language: "python", ...asked });

type Told = [what: string, source: string, error: string, line: number, column: number];

describe("an error", () => {
  it.each<Told>([
    ["in a function", "def f():\n    return 1 / 0\n\nf()", "ZeroDivisionError", 2, 12],
    ["in the library that was called", "import json\n\nx = json.loads('{')", "JSONDecodeError", 3, 5],
    ["in code made from text", "a = 1\nexec('1/0')", "ZeroDivisionError", 2, 1],
    ["behind characters that take two units", "x = 'é😀' + nothing", "NameError", 1, 13],
    ["of the parser", "def f(:\n    pass", "SyntaxError", 1, 7],
    ["of an indentation", "if True:\nx = 1", "IndentationError", 2, 1],
    ["in a coroutine", "import asyncio\nasync def f():\n    raise KeyError('k')\nasyncio.run(f())", "KeyError", 3, 5],
    ["of a class of its own", "class Wrong(Exception): pass\nraise Wrong('w')", "Wrong", 2, 1],
    ["without end", "def f(n):\n    return f(n + 1)\nf(0)", "RecursionError", 2, 12],
    [
      "without end, through a built-in",
      "class A:\n    def __repr__(self): return repr(self)\nrepr(A())",
      "RecursionError",
      2,
      32,
    ],
    ["that leaves", "import sys\nsys.exit('bad')", "SystemExit", 2, 1],
  ])("%s has its place", async (_, source, error, line, column) => {
    expect(await run(source)).toMatchObject({ status: "error", error, line, column });
  });

  it.each<[what: string, source: string, message: string]>([
    [
      "with a cause names it",
      "try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('outer') from e",
      "outer (caused by KeyError: 'k' (line 2))",
    ],
    [
      "of a group names those in it",
      "raise ExceptionGroup('some', [ValueError('a'), TypeError('b')])",
      "some (2 sub-exceptions): ValueError: a; TypeError: b",
    ],
    [
      "that cannot be read is told without",
      "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E()",
      "<exception str() failed>",
    ],
    ["with a note has it", "e = ValueError('a')\ne.add_note('b')\nraise e", "a\nb"],
    [
      "of a chain of causes names each",
      "try:\n    try: {}['k']\n    except KeyError as e: raise ValueError('v') from e\nexcept ValueError as e: raise RuntimeError('r') from e",
      "r (caused by ValueError: v (line 3), caused by KeyError: 'k' (line 2))",
    ],
    [
      "of a longer chain than a person reads names the first",
      "e = None\nfor n in range(9):\n    f = ValueError(n)\n    f.__cause__, e = e, f\nraise e",
      "8 (caused by ValueError: 7, caused by ValueError: 6, caused by ValueError: 5, caused by ValueError: 4)",
    ],
    [
      "of causes in a circle names each once",
      "a, b = ValueError('a'), TypeError('b')\na.__cause__, b.__cause__ = b, a\nraise a",
      "a (caused by TypeError: b)",
    ],
    [
      "of a large group tells how many are left out",
      "raise ExceptionGroup('many', [ValueError(n) for n in range(12)])",
      "many (12 sub-exceptions): ValueError: 0; ValueError: 1; ValueError: 2; ValueError: 3; ValueError: 4; 7 more",
    ],
    [
      "of groups that hold one another twice is no count without an end",
      "group = ValueError('v')\nfor _ in range(60): group = ExceptionGroup('g', [group, group])\nraise group",
      "g (2 sub-exceptions): ValueError: v; ValueError: v; ValueError: v; ValueError: v; ValueError: v; many more",
    ],
    ["tells the name that was meant", "total = 1\nprint(totl)", "name 'totl' is not defined. Did you mean: 'total'?"],
    [
      "tells the member that was meant",
      "import math\nmath.sqroot(2)",
      "module 'math' has no attribute 'sqroot'. Did you mean: 'sqrt'?",
    ],
    ["tells a module that was forgotten", "math.pi", "name 'math' is not defined. Did you forget to import 'math'?"],
    [
      "suggests nothing where asking fails",
      "class E(AttributeError):\n    @property\n    def name(self): raise SystemExit\nraise E('e')",
      "e",
    ],
    [
      "of a time zone that is not there",
      "import zoneinfo\nzoneinfo.ZoneInfo('Europe/Pari')",
      "No time zone found with key",
    ],
    ["of a module that is not there gives no advice for elsewhere", "import numpy", "No module named 'numpy'"],
  ])("%s", async (_, source, message) => {
    const observation = await run(source);
    expect(observation.message).toContain(message);
    expect(JSON.stringify(observation)).not.toMatch(/sallyport|pyodide|\/lib\/python/i);
  });

  it.each(["Gr\u00f6\u00dfe", "\u9519\u8bef"])("has its class's name in any script: %s", async (name) => {
    expect(await run(`class ${name}(ValueError): pass\nraise ${name}("x")`)).toMatchObject({
      error: name,
      message: "x",
    });
  });

  it("tells what a module has of the name that is not there", async () => {
    const { message } = await run("from collections import OrderdDict");
    expect(message).toMatch(/^cannot import name 'OrderdDict' .*Did you mean: 'OrderedDict'\?$/);
  });

  it("is no error where a program leaves as it should", async () => {
    expect(await run("print('a')\nraise SystemExit")).toMatchObject({ ok: true, result: "a" });
  });

  it("that a program prints itself shows no frame of ours", async () => {
    const source =
      "import traceback\ndef f(): traceback.print_stack()\nf()\ntry:\n    1/0\nexcept Exception:\n    traceback.print_exc()";
    const { stdout } = await run(source);
    expect(stdout.join("\n")).toMatch(/line 2, in f[\s\S]*ZeroDivisionError/);
    expect(stdout.join("\n")).not.toMatch(/sallyport|_pyodide/);
  });

  it("of asyncio that a program prints shows no frame of the loader's", async () => {
    const source =
      "import asyncio, traceback\nasync def main(): 1 / 0\ntry: asyncio.run(main())\nexcept Exception: traceback.print_exc()";
    const { stdout } = await run(source);
    expect(stdout.join("\n")).toMatch(/line 2, in main[\s\S]*ZeroDivisionError/);
    expect(stdout.join("\n")).not.toMatch(/sallyport|pyodide|webloop/);
  });

  it("loads no module to say what may have been meant", async () => {
    const source = "raise ImportError('none', name='this', name_from='d')";
    expect(await run(source)).toMatchObject({ error: "ImportError", message: "none", stdout: [] });
  });
});

describe("memory", () => {
  it("that is not there is a MemoryError, which a program may catch", async () => {
    const source = "try:\n    [0] * 10**9\nexcept MemoryError:\n    result = 'caught'";
    expect(await run(source)).toMatchObject({ ok: true, result: "caught" });
    const bomb = await run("kept = []\nwhile True: kept.append('x' * 10**6)", { limits: { timeoutMs: 10_000 } });
    expect(bomb).toMatchObject({ status: "error", error: "MemoryError", message: expect.stringContaining("64 MiB") });
  });

  it("is what a recursion without a limit runs out of", async () => {
    const source = "import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1)\nf(0)";
    expect(await run(source, { limits: { timeoutMs: 10_000 } })).toMatchObject({ error: "MemoryError" });
  });

  it("is as much as was allowed, beside the interpreter's own", async () => {
    const source = "len(bytearray(input * 1024 * 1024))";
    const limits = { memoryMb: 128, timeoutMs: 10_000 };
    expect(await run(source, { input: 100, limits })).toMatchObject({ ok: true });
    expect(await run(source, { input: 140, limits })).toMatchObject({ error: "MemoryError" });
  });
});

describe("the end of the interpreter", () => {
  it.each([
    ["an exit", "import os\nos._exit(0)"],
    ["an abort", "import os\nos.abort()"],
    ["a write over its own memory", "import ctypes\nctypes.memset(16, 255, 10**7)"],
  ])("by %s is an EngineError, and the next run has another", async (_, source) => {
    const observation = await run(`print('before')\n${source}`, { limits: { timeoutMs: 10_000 } });
    expect(observation).toMatchObject({ status: "error", error: "EngineError", stdout: ["before"] });
    expect(await run("6 * 7")).toMatchObject({ ok: true, result: 42 });
  });

  it.each(["glClear", "stackSave", "exit", "emscripten_asm_const_int", "PyLong_FromLong", "no_such_symbol"])(
    "does not come from looking up %s, which the interpreter does not offer: that is an exception to catch",
    async (symbol) => {
      const source = `import ctypes\ntry:\n    ctypes.CDLL(None).${symbol}\nexcept AttributeError as error:\n    result = '${symbol}' in str(error)`;
      expect(await run(source, { limits: { timeoutMs: 10_000 } })).toMatchObject({ ok: true, result: true });
    },
  );

  it.each([
    ["{'a': [1]}", { ok: true, result: { a: [1] } }],
    ["1 / 0", { error: "ZeroDivisionError", message: "division by zero", line: 16 }],
  ])("does not come from built-ins and library that the program replaced: %s", async (last, expected) => {
    const names = ["repr", "len", "isinstance", "print", "issubclass", "type", "str", "vars", "zip"];
    const library = [
      "import json, types, atexit, sys",
      "json._default_encoder = types.CoroutineType = None",
      "json.dumps = sys.settrace = None",
    ];
    const lines = [
      "import builtins",
      ...library,
      ...names.map((name) => `builtins.${name} = None`),
      "atexit._run_exitfuncs = None",
      "x = 1",
    ];
    expect(await run([...lines, last].join("\n"))).toMatchObject(expected);
  });

  it("by an answer that the program forged is an EngineError", async () => {
    const source =
      "import sys\nframe = sys._getframe()\nwhile 'Clock' not in frame.f_globals: frame = frame.f_back\nframe.f_globals['Clock'].stopped = 'Rnot json'";
    expect(await run(source)).toMatchObject({ status: "error", error: "EngineError" });
    expect(await run("6 * 7")).toMatchObject({ ok: true, result: 42 });
  });

  it.each([
    ["a handler that catches all", "while True:\n    try:\n        while True: pass\n    except BaseException: pass"],
    ["a finally that goes on", "def f():\n    try:\n        while True: pass\n    finally:\n        f()\nf()"],
    ["a finalizer that never ends", "class A:\n    def __del__(self):\n        while True: pass\na = A()\ndel a"],
    ["a pattern that takes for ever", "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')"],
  ])("does not come from %s: that is a timeout", async (_, source) => {
    expect(await run(source, { limits: { timeoutMs: 500 } })).toMatchObject({ status: "timeout" });
  });
});
