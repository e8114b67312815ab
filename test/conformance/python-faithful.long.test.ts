/**
 * Where an interpreter of ours could differ from CPython itself, or from one run to the next: its limits, its clock, deep
 * recursion, what its C code imports, and exceptions whose classes lie. By the policy that most programs run under.
 */

import { describe, expect, it } from "vitest";
import { createPolicy } from "../../src/policy/evaluate.ts";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const { run: runAny } = useSandbox({ workers: 1, standby: 0, python: { workers: 1, prepared: 1 } });
const permits = createPolicy("standard").permits("python");
const run: typeof runAny = (source, asked) =>
  runAny(source, { language: "python", permits, limits: { timeoutMs: 10_000 }, ...asked });

const NUMBERS = "def count(n): return 0 if n == 0 else 1 + count(n - 1)\n";

describe("the same program", () => {
  it("gives the same on every run of a worker, where its objects lie in memory included", async () => {
    const source = "class A: pass\nl = [A() for _ in range(300)]\nresult = [l.index(x) for x in set(l)]";
    const seen = new Set<string>();
    for (let index = 0; index < 60; index++) {
      seen.add(JSON.stringify((await run(source, { seed: 7, now: 1.7e12 })).result));
    }
    expect([...seen]).toHaveLength(1);
  });

  it.each([
    ["reads what is nested a hundred thousand deep", "import json\nresult = len(json.loads('['*100000 + ']'*100000))"],
    ["frees a hundred thousand linked objects", "x = None\nfor _ in range(100000): x = (x,)\nx = None\nresult = 1"],
    ["compares deep lists", "x, y = [], []\nfor _ in range(50000): x, y = [x], [y]\nresult = int(x == y)"],
  ])("%s, in a new worker and in a used one", async (_what, source) => {
    for (let index = 0; index < 4; index++) expect(await run(source)).toMatchObject({ ok: true, result: 1 });
  });

  it("is told that it recurses too deep in C, and may catch it", async () => {
    const deep = "class A:\n  def __init__(s, n): s.n = n\n  def __add__(s, o): return A(s.n - 1) + o if s.n else 0\n";
    const source = `import sys\nsys.setrecursionlimit(10**7)\n${deep}try:\n    A(10**6) + 1\nexcept RecursionError:\n    result = 'caught'`;
    const asked = { permits: { dynamicCode: true } };
    for (let index = 0; index < 3; index++) expect(await run(source, asked)).toMatchObject({ result: "caught" });
  });
});

describe("as in CPython", () => {
  it.each([
    ["998 calls are not too deep", `${NUMBERS}result = count(998)`, { result: 998 }],
    ["999 are", `${NUMBERS}result = count(999)`, { error: "RecursionError" }],
    ["a number of 5,000 digits is no text", "result = str(10**5000)", { error: "ValueError" }],
    ["UTC is called so", "import time\nresult = [time.tzname[0], time.strftime('%Z')]", { result: ["UTC", "UTC"] }],
    [
      "what a date's format does not know is left as it is",
      "from datetime import datetime\nd = datetime(2024, 5, 3, 15, 4)\nresult = [d.strftime(f) for f in ('%l:%M %P', '%k', '100% of %Y', '%-d/%-m %Q', '%H%%', '%Y-%m-%d')]",
      { result: [" 3:04 pm", "15", "100% of 2024", "3/5 %Q", "15%", "2024-05-03"] },
    ],
    [
      "dates are read",
      "from datetime import datetime\nresult = str(datetime.strptime('2024-01-15', '%Y-%m-%d'))",
      { result: "2024-01-15 00:00:00" },
    ],
    ["times are read", "import time\nresult = time.strptime('30 Nov 00', '%d %b %y')[0]", { result: 2000 }],
    ["large numbers are divided", "result = divmod(10**20000, 10**5000 + 1)[0] % 7", { ok: true }],
    [
      "the root of a large number is taken",
      "import math\nresult = math.isqrt(4 * 10**20000) // 10**10000",
      { result: 2 },
    ],
    [
      "tasks are counted from the first that a program makes",
      "import asyncio\nasync def name(): return asyncio.current_task().get_name()\nasync def main(): return [await name(), await asyncio.create_task(name())]\nresult = asyncio.run(main())",
      { result: ["Task-1", "Task-2"] },
    ],
    [
      "waiting takes no time of the processor",
      "import time\nbefore = time.monotonic()\ntime.sleep(100)\nresult = [time.process_time(), time.thread_time(), time.thread_time_ns(), time.monotonic() - before >= 100, time.get_clock_info('thread_time').monotonic]",
      { result: [0, 0, 0, true, true] },
    ],
    [
      "what is put in says what it is",
      "import time, hashlib\nfrom hashlib import *\nresult = ['RFC' in (pbkdf2_hmac.__doc__ or ''), 'function 2' in pbkdf2_hmac.__doc__, 'thread' in time.thread_time.__doc__, 'string' in time.strftime.__doc__]",
      { result: [false, true, true, true] },
    ],
    // The first three as RFC 6070 has them for SHA-1 and RFC 7914 for SHA-256; the last, of a long key, as CPython 3.13 does.
    [
      "a key is derived from a password",
      "import hashlib\nderive = lambda *given: hashlib.pbkdf2_hmac(*given).hex()\nresult = [derive('sha1', b'password', b'salt', 2, 20), derive('sha1', b'passwordPASSWORDpassword', b'saltSALTsaltSALTsaltSALTsaltSALTsalt', 4096, 25), derive('sha256', b'passwd', b'salt', 1, 64), derive('sha512', b'p' * 200, b's', 3, 100)]",
      {
        result: [
          "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957",
          "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038",
          "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
          "b65d8859db584bb91459566d85dc3c43b6a279f326caddf0bced59bbd21838a4cc98bbe21c38cd6b92a3af050138b75fab80b26443e1097cae28c84457964d77606b6e4da4ca06d12a2736a9e5db650c301b6cb4927ef987872824321540ac04d1979b28",
        ],
      },
    ],
    [
      "what is no time to sleep is told",
      "import time\ntime.sleep('1')",
      { error: "TypeError", message: "'str' object cannot be interpreted as an integer or float" },
    ],
    ["False is no failure", "raise SystemExit(False)", { ok: true }],
    [
      "what calls itself equal to all is",
      "class Z:\n  def __eq__(s, o): return True\nraise SystemExit(Z())",
      { ok: false },
    ],
  ])("%s", async (_what, source, expected) => {
    expect(await run(source)).toMatchObject(expected);
  });

  it.each([
    ["'sha1', 'text', b's', 1", "TypeError", "a bytes-like object is required, not 'str'"],
    ["'sha1', b'p', b's', 0", "ValueError", "iteration value must be greater than 0."],
    ["'sha1', b'p', b's', 2**31", "OverflowError", "iteration value is too great."],
    ["'sha1', b'p', b's', '2'", "TypeError", "'str' object cannot be interpreted as an integer"],
    ["'sha1', b'p', b's', 1, 0", "ValueError", "key length must be greater than 0."],
    ["'sha1', b'p', b's', 1, 2**40", "OverflowError", "key length is too great."],
    ["'shake_128', b'p', b's', 1, 16", "ValueError", "unsupported hash type shake_128"],
  ])("no key is derived from %s", async (given, error, message) => {
    expect(await run(`import hashlib\nhashlib.pbkdf2_hmac(${given})`)).toMatchObject({ error, message });
  });

  it("a program is told the depth of its own frames, and sets it", async () => {
    const source = `import sys\nbefore = sys.getrecursionlimit()\nsys.setrecursionlimit(5000)\n${NUMBERS}result = [before, sys.getrecursionlimit(), count(4998)]`;
    const asked = { permits: { dynamicCode: true } };
    expect(await run(source, asked)).toMatchObject({ result: [1000, 5000, 4998] });
    expect(await run(source.replace("4998", "4999"), asked)).toMatchObject({ error: "RecursionError" });
    const low = "import sys\ndef f(n): return f(n - 1) if n else sys.setrecursionlimit(60)\nf(100)";
    expect((await run(low, asked)).message).toBe(
      "cannot set the recursion limit to 60 at the recursion depth 102: the limit is too low",
    );
  });

  it("a value is told whatever a program made of the names that telling it takes", async () => {
    const source = "import builtins, sys\nbuiltins.min = sys.setrecursionlimit = lambda *a: 1/0\nresult = [1]";
    expect(await run(source, { permits: { dynamicCode: true } })).toMatchObject({ result: [1] });
  });

  it("what only C code may import is nothing to the program", async () => {
    const asked = { permits: { ...permits, dynamicCode: false } };
    expect(await run("import _strptime\nresult = _strptime is None", asked)).toMatchObject({ result: true });
  });
});

describe("what a program is not given", () => {
  it.each(["input[0]", "for row in input: pass"])("as data is told where it is used: %s", async (source) => {
    const { error, message } = await run(source);
    expect({ error, message }).toMatchObject({
      error: "TypeError",
      message: expect.stringContaining("no `input` was given"),
    });
  });

  it("as data is not told where something else is used", async () => {
    expect((await run("inputs = [1]\nlen[0]")).message).not.toContain("no `input`");
  });

  it("is a real clock, whatever it asks", async () => {
    const asks = "return [new Date.prototype.constructor().getTime(), typeof Temporal, typeof Intl]";
    const source = `import pyodide_js\nresult = pyodide_js._api.config.constructor.constructor.new("${asks}")().to_py()`;
    const asked = { permits: { dynamicCode: true }, now: 1_700_000_000_000 };
    expect(await run(source, asked)).toMatchObject({ result: [1_700_000_000_000, "undefined", "undefined"] });
  });
});

describe("a value", () => {
  it.each(["for n in range(1200): print(n)", "print('z' * 100000)"])(
    "is no line where lines were left out: %s",
    async (source) => {
      expect(await run(source)).toMatchObject({ ok: true, result: null, truncated: ["stdout"] });
    },
  );
});

describe("an exception whose class lies", () => {
  const E = (body: string) => `class E(Exception):\n  ${body}\nprint('before')\nraise E('x')`;
  it.each([
    ["about its cause", E("__cause__ = property(lambda s: 1/0)"), { error: "E", message: "x" }],
    ["about where it was raised", E("__traceback__ = property(lambda s: 1/0)"), { error: "E", message: "x", line: 4 }],
    ["about all", E("def __getattribute__(s, n): 1/0"), { error: "E" }],
    [
      "about its name",
      `class M(type):\n  __name__ = property(lambda s: 1/0)\n${E("pass").replace("(Exception)", "(Exception, metaclass=M)")}`,
      { error: "E", message: "x" },
    ],
    [
      "about its line",
      "print('before')\nraise SyntaxError('m', ('<main>', 10**9, 1, 'x'))",
      { error: "SyntaxError", message: "m", line: 2 },
    ],
    [
      "about its line, in words",
      "print('before')\nraise SyntaxError('m', ('<main>', 'a', 1, 'x'))",
      { error: "SyntaxError", line: 2 },
    ],
    [
      "about its message",
      "class S(str):\n  def __getitem__(s, k): return [5]\nprint('before')\nraise SyntaxError(S('x'))",
      { error: "SyntaxError", message: "x" },
    ],
    [
      "about the text of its name",
      "class S(str):\n  def isidentifier(s): raise ValueError\nclass E(Exception): pass\nE.__name__ = S('A')\nprint('before')\nraise E('x')",
      { error: "A", message: "x" },
    ],
    [
      "about how it leaves",
      "class X(SystemExit):\n  code = property(lambda s: 0)\nprint('before')\nraise X(5)",
      { error: "X" },
    ],
    [
      "about the exceptions of its group",
      "class G(ExceptionGroup):\n  exceptions = property(lambda s: 1/0)\nprint('before')\nraise G('g', [KeyError('k')])",
      { error: "G", message: expect.stringContaining("KeyError") },
    ],
    [
      "about its file",
      "class N(str):\n  def __ne__(s, o): 1/0\nprint('before')\nraise SyntaxError('m', (N('<main>'), 1, 1, 'x'))",
      { error: "SyntaxError", line: 4 },
    ],
  ])("%s is told as it is", async (_what, source, expected) => {
    expect(await run(source)).toMatchObject({ status: "error", stdout: ["before"], ...expected });
  });

  it("does not cost the worker", async () => {
    const before = await run("1");
    expect(before.ok).toBe(true);
    for (let index = 0; index < 5; index++) {
      const observation = await run("raise SyntaxError('m', ('<main>', 10**9, 10**9, 'x'))");
      expect(observation).toMatchObject({ status: "error", error: "SyntaxError" });
    }
  });
});
