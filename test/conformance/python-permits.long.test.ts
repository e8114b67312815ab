/**
 * What a policy takes away from Python at run time, where no manifest stands in between: modules, built-ins, code from text.
 * Usability, not the boundary: what is reached all the same is still inside the isolate.
 */

import { describe, expect, it } from "vitest";
import { createPolicy } from "../../src/policy/evaluate.ts";
import { PURE_PYTHON_MODULES } from "../../src/policy/preset-names.ts";
import type { Observation } from "../../src/types.ts";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const inUse = useSandbox({ workers: 1 });

function runUnder(preset: string, source: string): Promise<Observation> {
  const permits = createPolicy(preset).permits("python");
  return inUse.run(source, { language: "python", permits, limits: { timeoutMs: 20_000 } });
}

describe("under standard", () => {
  it.each(PURE_PYTHON_MODULES)("%s can be imported", async (name) => {
    expect(await runUnder("standard", `import ${name} as module\nresult = module.__name__`)).toMatchObject({
      ok: true,
      result: name,
    });
  });

  it("parts of those modules can be imported, and what they import themselves works", async () => {
    const source = `
import collections.abc, asyncio.queues as queues
from collections import abc, namedtuple
from asyncio import Queue, locks
from dataclasses import dataclass
import typing, statistics
@dataclass
class P:
    x: int
def f(x: "int"): pass
result = [abc is collections.abc, queues.Queue is Queue, namedtuple("Q", "a")(1).a, P(2).x, locks.__name__,
          typing.get_type_hints(f)["x"].__name__, statistics.mean([1, 3])]`;
    expect(await runUnder("standard", source)).toMatchObject({ result: [true, true, 1, 2, "asyncio.locks", "int", 2] });
  });

  it("a text in a type's place is evaluated where it names types", async () => {
    const source = `
import typing
class _Node:
    next: "_Node | None"
    kinds: "dict[str, list[typing.Literal['a', -1]]]"
hints = typing.get_type_hints(_Node)
result = [str(hints["next"]), str(hints["kinds"]), typing.List["int"].__args__[0].evaluate(globals={}).__name__]`;
    expect(await runUnder("standard", source)).toMatchObject({
      result: ["__main__._Node | None", "dict[str, list[typing.Literal['a', -1]]]", "int"],
    });
  });

  it.each([
    ["a call", "import typing\ntyping.List['__imp' + 'ort__(\"os\")'].__args__[0].evaluate(globals={})"],
    ["a function of the interpreter's", "import typing\ntyping.List['op' + 'en'].__args__[0].evaluate(globals={})"],
    [
      "a text that says one thing and is another",
      "import typing\nclass S(str):\n  def __format__(s, spec): return 'int'\ntyping.List[S('op' + 'en')].__args__[0].evaluate(globals={})",
    ],
    [
      "a module inside of a module",
      "import enum, typing\ntyping.List['enum.bl' + 'tns.exec'].__args__[0].evaluate(globals=globals())",
    ],
    ["what opens files", "import io, typing\ntyping.List['io.op' + 'en'].__args__[0].evaluate(globals=globals())"],
    [
      "a module in the type of a tuple's field",
      "import typing\ntyping.get_type_hints(typing.NamedTuple('N', [('a', '.'.join(['typing', 'sys', 'modules']))]))",
    ],
    [
      "a frame",
      "import typing\ng = (x for x in [1])\ntyping.get_type_hints(typing.TypedDict('N', {'a': '.'.join(['g', 'gi_' + 'frame'])}))",
    ],
    ["a private member", "import typing\ntyping.List['int.__subclasses__'].__args__[0].evaluate(globals={})"],
    ["a field of a dictionary's type", "import typing\ntyping.get_type_hints(typing.TypedDict('U', {'x': 'exec'}))"],
  ])("and not where it is %s", async (_what, source) => {
    const { error, message } = await runUnder("standard", source);
    expect({ error, message }).toMatchObject({
      error: "ValueError",
      message: expect.stringContaining("in the place of a type may only"),
    });
  });

  it.each([
    ["import os", "ImportError", "os"],
    ["import os.path as p", "ImportError", "os.path"],
    ["from os import path", "ImportError", "os"],
    ["import urllib", "ImportError", "urllib"],
    ["import urllib.parse\nimport urllib.request", "ImportError", "urllib.request"],
    ["from urllib import request", "ImportError", "urllib"],
    ["import sys.x", "ImportError", "sys.x"],
    ["import builtins", "ImportError", "builtins"],
    ["def f():\n    import socket\nf()", "ImportError", "socket"],
    ["__import__('subprocess')", "ImportError", "subprocess"],
    ["globals()['__built' 'ins__']['__imp' 'ort__']('ctypes')", "ImportError", "ctypes"],
    ["import numpy as np", "ModuleNotFoundError", "numpy"],
    ["from js import window", "ModuleNotFoundError", "js"],
    ["import manifest_names", "ModuleNotFoundError", "manifest_names"],
  ])("%j is refused, with the modules that there are", async (source, error, name) => {
    const { message, ...observation } = await runUnder("standard", source);
    expect(observation).toMatchObject({ ok: false, status: "error", error });
    expect(message).toContain(`${name} cannot be imported. Only these modules can be: math, cmath,`);
  });

  it("of a package a part can be there without the others", async () => {
    const source = "import urllib.parse\nresult = [urllib.parse.quote('a b'), hasattr(urllib, 'request')]";
    expect(await runUnder("standard", source)).toMatchObject({ result: ["a%20b", false] });
  });

  it("of sys there is what only computes, and its streams and arguments can be set", async () => {
    const source = `
import contextlib, io, sys
from sys import exit, stderr
print("to stderr", file=stderr)
sys.stdout, kept = io.StringIO(), sys.stdout
print("caught")
text, sys.stdout = sys.stdout.getvalue(), kept
with contextlib.redirect_stdout(io.StringIO()) as out:
    print("caught as well", file=sys.stdout)
sys.argv = ["name", "x"]
sys.setrecursionlimit(2000)
result = [text, out.getvalue(), sys.argv, sys.getrecursionlimit(), sys.__name__, "exit" in dir(sys), "modules" in dir(sys)]
exit(0)`;
    expect(await runUnder("standard", source)).toMatchObject({
      ok: true,
      stdout: ["to stderr"],
      result: ["caught\n", "caught as well\n", ["name", "x"], 2000, "sys", true, false],
    });
  });

  it.each([
    ["sys.modules", "module 'sys' has no attribute 'modules' here"],
    ["getattr(sys, '_get' + 'frame')", "module 'sys' has no attribute '_getframe' here"],
    ["sys.intern = str", "sys.intern cannot be set here"],
    ["setattr(sys, 'ex' + 'it', str)", "sys.exit cannot be set here"],
    ["del sys.exit", "module"],
  ])("and no more: %s", async (code, text) => {
    expect(await runUnder("standard", `import sys\n${code}`)).toMatchObject({
      error: "AttributeError",
      message: expect.stringContaining(text),
      line: 2,
    });
    expect(await runUnder("standard", "from sys import modules")).toMatchObject({
      error: "ImportError",
      message: expect.stringContaining("cannot import name 'modules' from 'sys'"),
    });
  });

  it("a policy that lets all of sys pass gives all of it", async () => {
    for (const modules of [["sys", "sys.*"], ["sys*"], ["*"]]) {
      const asked = { language: "python", permits: { dynamicCode: true, modules } } as const;
      expect(await inUse.run("import sys\nresult = 'os' in sys.modules", asked)).toMatchObject({ result: true });
    }
  });

  it("a program can go on without a module", async () => {
    const source =
      "try:\n    import numpy\nexcept ImportError as error:\n    result = str(error).endswith('asyncio, __future__, sys. Third-party packages are not there.')";
    expect(await runUnder("standard", source)).toMatchObject({ result: true });
  });

  it.each(["exec('1')", "compile('1', '', 'eval')", "[exec]", "__builtins__['exec']"])(
    "code from text is gone: %s",
    async (source) => {
      expect(await runUnder("standard", source)).toMatchObject({ ok: false, status: "error" });
    },
  );

  it.each([
    ["eval('2 + 3 * 4')", 14],
    ["eval(' (7 // 2) ** 2 ')", 9],
    ["eval('1 < 2 and not 3 == 4')", true],
    ["eval('[1, (2, -3)]')", [1, [2, -3]]],
    ["eval('1.5' + 'e3')", 1500],
  ])("%s does arithmetic", async (source, result) => {
    expect(await runUnder("standard", source)).toMatchObject({ ok: true, result });
  });

  it.each([
    "x",
    "len('a')",
    "().__class__",
    "[x for x in (1,)]",
    "lambda: 1",
    "(x := 1)",
    "f'{1}'",
    "1; 2",
    "import os",
  ])("eval of %j is refused", async (text) => {
    const observation = await runUnder("standard", `x = 1\neval(${JSON.stringify(text)})`);
    expect(observation).toMatchObject({ ok: false, error: expect.stringMatching(/^(?:ValueError|SyntaxError)$/) });
  });

  it.each([
    "import dataclasses\nname = '__class__,print(\"x\")'\nA = type('A', (), {'__annotations__': {name: int}})\ndataclasses.dataclass(A)",
    "import dataclasses\nclass S(str):\n    def isidentifier(self): return True\n    def isalpha(self): return True\ndataclasses.make_dataclass('A', [(S('a=print(1)'), int)])",
  ])("the name of a field is a name, and no code: %j", async (source) => {
    const observation = await runUnder("standard", source);
    expect(observation).toMatchObject({
      error: "TypeError",
      stdout: [],
      message: expect.stringContaining("identifier"),
    });
  });

  it("all other built-ins are there", async () => {
    expect(await runUnder("standard", "class A: pass\nresult = isinstance(A(), A) and bool(map)")).toMatchObject({
      result: true,
    });
  });
});

describe("under strict", () => {
  const names = createPolicy("strict").permits("python").globals ?? [];

  it("exactly the 17 built-ins are there, each of them works", async () => {
    expect(names).toHaveLength(17);
    const source = `result = [abs(-1), min(1, 2), max(1, 2), sum([1, 2]), len("ab"), list(range(2)), list(enumerate("a")),
    sorted([2, 1]), round(1.6), float(1) == 1, int("2"), str(3), bool(0), dict(a=1), tuple([1])]\nprint("printed")`;
    expect(await runUnder("strict", source)).toMatchObject({ ok: true, stdout: ["printed"] });
    expect(await runUnder("strict", "result = sorted(__builtins__)")).toMatchObject({ result: names.toSorted() });
  });

  it("no other name of the interpreter's own is", async () => {
    const listed = await runUnder("allow-all", "import builtins\nresult = dir(builtins)");
    const others = (listed.result as string[]).filter(
      (name) =>
        !names.includes(name) &&
        !/^(?:None|True|False|__debug__|__name__|__doc__|__spec__|__loader__|__package__)$/.test(name),
    );
    expect(others.length).toBeGreaterThan(100);
    const source = others.map((name) => `try:\n    ${name}\n    print("${name}")\nexcept: pass`).join("\n");
    expect(source.length).toBeGreaterThan(1000);
    const { stdout } = await inUse.run(source, {
      language: "python",
      permits: createPolicy("strict").permits("python"),
      limits: { timeoutMs: 20_000, sourceChars: 100_000 },
    });
    expect(stdout).toEqual([]);
  });

  it.each(["import math", "from math import pi", "class A: pass", "raise ValueError", "isinstance(1, int)"])(
    "%s does not work",
    async (source) => {
      expect(await runUnder("strict", source)).toMatchObject({ ok: false, status: "error" });
    },
  );

  it.each([
    ["inside a function", "def f():\n    return isinstance\nf()"],
    ["inside a lambda", "(lambda: isinstance)()"],
    ["inside a generator", "list(isinstance for x in [1])"],
    ["out of the list of built-ins", "__builtins__['isinstance']"],
    ["in a frame", "def g():\n    yield\nf = g()\nf.gi_frame.f_builtins['isinstance']"],
  ])("a built-in that was taken away is not found %s", async (_where, source) => {
    expect(await runUnder("strict", source)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^(?:NameError|KeyError)$/),
    });
  });

  it("errors are what they are, though they have no names", async () => {
    expect(await runUnder("strict", "1 / 0")).toMatchObject({ error: "ZeroDivisionError" });
    expect(await runUnder("strict", "assert 1 == 2, 'no'")).toMatchObject({ error: "AssertionError", message: "no" });
    expect(await runUnder("strict", "try:\n    [][0]\nexcept:\n    result = 'caught'")).toMatchObject({
      result: "caught",
    });
  });
});

describe("under allow-all", () => {
  it("nothing is taken away", async () => {
    const source =
      "import sys, os\nexec('x = 1')\nresult = [x, eval('x + 1'), sys.version_info.major, __builtins__.__name__]";
    expect(await runUnder("allow-all", source)).toMatchObject({ result: [1, 2, 3, "builtins"] });
  });

  it("a package that is not there is told as Python tells it", async () => {
    expect(await runUnder("allow-all", "import numpy")).toMatchObject({ error: "ModuleNotFoundError" });
  });
});

describe("what one run was left with", () => {
  it("is not what the next one is left with", async () => {
    expect(await runUnder("strict", "isinstance")).toMatchObject({ error: "NameError" });
    expect(await runUnder("allow-all", "import os\nresult = eval('1')")).toMatchObject({ result: 1 });
    expect(await runUnder("standard", "result = isinstance(1, int)")).toMatchObject({ result: true });
  });
});
