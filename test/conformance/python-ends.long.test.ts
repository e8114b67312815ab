/**
 * How a Python program ends: what it left to be called, what its own streams hold, and objects that end with their names.
 * As CPython does at its exit, and whatever that does is within the run's limits.
 */

import { describe, expect, it } from "vitest";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const { run: runAny } = useSandbox({ workers: 1, standby: 0, python: { workers: 1, prepared: 1 } });
const run: typeof runAny = (source, asked) =>
  runAny(source, { language: "python", limits: { timeoutMs: 10_000 }, ...asked });

describe("at its end a program", () => {
  it.each<[what: string, source: string, stdout: string[]]>([
    [
      "is called back",
      "import atexit\natexit.register(print, 'bye')\natexit.register(print, 'first')\nprint('main')",
      ["main", "first", "bye"],
    ],
    [
      "has its objects told",
      "class R:\n    def __init__(self, n): self.n = n\n    def __del__(self): print('released', self.n)\nr = R('r')\n_u = R('u')\nprint('end')",
      ["end", "released u", "released r"],
    ],
    [
      "has its generators closed",
      "def g():\n    try: yield 1\n    finally: print('closed')\nx = g()\nnext(x)\nprint('end')",
      ["end", "closed"],
    ],
    [
      "has its own stream written out",
      "import sys, io\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\nprint('h\u00e9llo')",
      ["h\u00e9llo"],
    ],
    [
      "has its log written out",
      "import logging\nclass H(logging.Handler):\n    def flush(self): print('flushed')\nlogging.getLogger().addHandler(H())\nprint('end')",
      ["end", "flushed"],
    ],
    [
      "has finalizers called",
      "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, 'final')\nprint('end')",
      ["end", "final"],
    ],
    [
      "has what its value prints",
      "class A:\n    def __repr__(self):\n        print('asked', end='')\n        return 'a'\nA()",
      ["asked"],
    ],
  ])("%s", async (_what, source, stdout) => {
    expect(await run(source)).toMatchObject({ ok: true, stdout });
  });

  it("tells its exception to the hook that it put there, and the observation tells it too", async () => {
    const source =
      "import sys, atexit\natexit.register(print, 'bye')\nsys.excepthook = lambda t, v, tb: print('hook', t.__name__, v, tb.tb_lineno)\nraise ValueError('x')";
    expect(await run(source)).toMatchObject({
      error: "ValueError",
      message: "x",
      line: 4,
      stdout: ["hook ValueError x 4", "bye"],
    });
  });

  it("is not traced any more", async () => {
    const trace =
      "import sys\ndef trace(frame, event, arg):\n    print(event, frame.f_code.co_name)\n    return trace\n";
    const source = `${trace}def f(): return 1\nsys.settrace(trace)\nf()\nresult = [1]`;
    expect(await run(source)).toMatchObject({ result: [1], stdout: ["call f", "line f", "return f"] });
    expect((await run(`${trace}sys.settrace(trace)\nx = 1 / 0`)).stdout).toEqual([]);
  });

  it.each([
    [
      "a hook",
      "import sys\ndef hook(*a): raise SystemExit\nsys.excepthook = hook\nraise ValueError('x')",
      "ValueError",
    ],
    [
      "a stream",
      "import sys\nclass S:\n    def write(self, t): pass\n    def flush(self): raise SystemExit\nsys.stdout = S()\nraise ValueError('x')",
      "ValueError",
    ],
    ["a callback", "import atexit\natexit.register(lambda: 1 / 0)\nraise ValueError('x')", "ValueError"],
    [
      "an object's end",
      "class A:\n    def __del__(self): raise SystemExit\na = A()\nraise ValueError('x')",
      "ValueError",
    ],
  ])("is told as it was, where %s fails", async (_what, source, error) => {
    expect(await run(source)).toMatchObject({ status: "error", error });
  });

  it.each([
    ["a callback", "import atexit\ndef f():\n    while True: pass\natexit.register(f)\n1"],
    ["an object's end", "class A:\n    def __del__(self):\n        while True: pass\na = A()\n1"],
    ["a hook", "import sys\ndef hook(*a):\n    while True: pass\nsys.excepthook = hook\nraise ValueError('x')"],
  ])("is out of time, where %s has no end", async (_what, source) => {
    expect(await run(source, { limits: { timeoutMs: 1000 } })).toMatchObject({ status: "timeout" });
    expect(await run("6 * 7")).toMatchObject({ result: 42 });
  });
});
