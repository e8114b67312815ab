/**
 * Values of Python that JSON cannot hold, waiting without real time, and chance that is the seed's.
 */

import { describe, expect, it } from "vitest";
import { decodeValue } from "../../src/protocol/values.ts";
import type { JsonValue } from "../../src/types.ts";
import { useSandbox, withoutUsage } from "../fixtures/use-sandbox.ts";

const { run: runAny } = useSandbox({ workers: 1, standby: 0 });
const run: typeof runAny = (source, asked) => runAny(source, { language: "python", ...asked });

const tag = (type: string, value: JsonValue): JsonValue => ({ $type: type, value });

describe("a value", () => {
  it("of an ordered dictionary has its order", async () => {
    const source =
      "from collections import OrderedDict\nd = OrderedDict(a=1, b=2, c=3)\nd.move_to_end('a')\nd.move_to_end('c', last=False)\nd";
    expect(Object.keys((await run(source)).result as object)).toEqual(["c", "b", "a"]);
  });

  it.each([
    "from unittest.mock import Mock\nMock(spec=dict)",
    "from unittest.mock import MagicMock\nMagicMock(spec=list)",
    "import weakref\nclass D(dict): pass\nd = D(a=1)\nweakref.proxy(d)",
    "class A:\n    __class__ = property(lambda self: 1 / 0)\nA()",
  ])("whose class lies is told as what it is: %j", async (source) => {
    expect((await run(source, { limits: { timeoutMs: 10_000 } })).result).toMatchObject({ $type: "repr" });
  });

  it.each<[source: string, result: JsonValue]>([
    ["2**53 - 1", 2 ** 53 - 1],
    ["-2**53", tag("bigint", "-9007199254740992")],
    ["float('nan')", { $type: "NaN" }],
    ["[float('inf'), -float('inf'), -0.0, 1.0]", [{ $type: "Infinity" }, { $type: "-Infinity" }, { $type: "-0" }, 1]],
    ["1 + 2j", tag("complex", [1, 2])],
    ["b'ab'", tag("bytes", [97, 98])],
    ["{3, 1, 2}", tag("set", [1, 2, 3])],
    ["(1, (2,))", [1, [2]]],
    [
      "{1: 'a', (1, 2): None}",
      tag("dict", [
        [1, "a"],
        [[1, 2], null],
      ]),
    ],
    [
      "{'$type': 'set', 'value': []}",
      tag("object", [
        ["$type", "set"],
        ["value", []],
      ]),
    ],
    ["{'__proto__': 1}", tag("object", [["__proto__", 1]])],
    ["from decimal import Decimal\nDecimal('1.10')", tag("Decimal", "1.10")],
    ["from fractions import Fraction\nFraction(2, 6)", tag("Fraction", "1/3")],
    ["import datetime\ndatetime.datetime(2024, 1, 2, 3)", tag("datetime", "2024-01-02T03:00:00")],
    [
      "import datetime\n[datetime.date(2024, 1, 2), datetime.timedelta(days=1)]",
      [tag("date", "2024-01-02"), tag("timedelta", "1 day, 0:00:00")],
    ],
    [
      "from zoneinfo import ZoneInfo\nfrom datetime import datetime\nstr(datetime(2024, 1, 2, tzinfo=ZoneInfo('UTC')))",
      "2024-01-02 00:00:00+00:00",
    ],
    ["range(3)", tag("repr", "range(0, 3)")],
    ["class A:\n    def __repr__(self): return 'mine'\nA()", tag("repr", "mine")],
    ["len", tag("function", "len")],
    ["ValueError('v')", { $type: "Error", name: "ValueError", message: "v" }],
    ["a = []\na.append(a)\na", [tag("circular", [])]],
    ["a = {'b': [1]}\na['b'].append(a['b'])\na", { b: [1, tag("circular", ["b"])] }],
    ["from collections import Counter, namedtuple\n[Counter('aab'), namedtuple('P', 'x')(1)]", [{ a: 2, b: 1 }, [1]]],
    ["import enum\nclass E(enum.IntEnum):\n    A = 3\nE.A", 3],
    [
      "from collections import OrderedDict\nd = OrderedDict(a=1, b=2)\nd.move_to_end('a')\nclass D(OrderedDict): pass\n[list(d), list(D(d).items()), str(d)]",
      [
        ["b", "a"],
        [
          ["b", 2],
          ["a", 1],
        ],
        "OrderedDict({'b': 2, 'a': 1})",
      ],
    ],
    ["'\\ud800'", "\ud800"],
  ])("of %j", async (source, result) => {
    expect(await run(source)).toMatchObject({ ok: true, result });
  });

  it("of numbers, sets and bytes is read back", async () => {
    const { result } = await run("{'n': 2**70, 's': {1}, 'b': b'a', 'd': {1: 2}, 'o': {'$type': 'x'}}");
    expect(decodeValue(result as JsonValue)).toEqual({
      n: 2n ** 70n,
      s: new Set([1]),
      b: Uint8Array.of(97),
      d: new Map([[1, 2]]),
      o: { $type: "x" },
    });
  });

  it.each([
    ["a function that is declared as result", "def result(): pass\n5", 5],
    ["a class that is declared as result", "class result: pass\n5", 5],
    [
      "a coroutine at the end, which is run",
      "import asyncio\nasync def f():\n    await asyncio.sleep(1)\n    return 7\nf()",
      7,
    ],
    ["the last line, where nothing else is", "import sys\nprint('a')\nsys.stderr.write('b')", "b"],
  ])("is not mistaken for %s", async (_, source, result) => {
    if (source.endsWith("write('b')")) expect((await run(`${source}\nNone`)).result).toBe(result);
    else expect(await run(source)).toMatchObject({ ok: true, result });
  });

  it.each([
    ["deep", "x = []\nfor _ in range(10**4): x = [x]\nresult = x"],
    ["long", "list(range(10**5))"],
    ["a number of many digits", "1 << 10**7"],
    ["a repr without end", "class A:\n    def __repr__(self): return 'x' * 10**6\nA()"],
  ])("that is %s is an output limit", async (_, source) => {
    expect(await run(source, { limits: { timeoutMs: 5000 } })).toMatchObject({ status: "output_limit" });
  });
});

describe("waiting", () => {
  it.each<[what: string, source: string, result: JsonValue]>([
    [
      "gather",
      "import asyncio\nasync def f(n):\n    await asyncio.sleep(n)\n    return n\nawait asyncio.gather(f(3), f(1))",
      [3, 1],
    ],
    [
      "wait_for",
      "import asyncio\ntry:\n    await asyncio.wait_for(asyncio.sleep(100), 1)\nexcept TimeoutError:\n    result = 'late'",
      "late",
    ],
    [
      "a queue",
      "import asyncio\nasync def main():\n    q = asyncio.Queue()\n    asyncio.get_running_loop().call_later(2, q.put_nowait, 'x')\n    return await q.get()\nasyncio.run(main())",
      "x",
    ],
    ["a thread's call", "import asyncio\nawait asyncio.to_thread(lambda: 7)", 7],
    [
      "a pool",
      "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as p: r = list(p.map(str, [1, 2]))\nr",
      ["1", "2"],
    ],
    ["an event", "import threading, time\nthreading.Event().wait(5)\ntime.monotonic()", 5],
    [
      "a loop of its own",
      "import asyncio\nasync def f(): return 3\nasyncio.get_event_loop().run_until_complete(f())",
      3,
    ],
  ])("for %s takes no real time", async (_, source, result) => {
    expect(await run(source)).toMatchObject({ ok: true, result });
  });

  it.each([
    ["a future", "import asyncio\nawait asyncio.Future()"],
    ["a lock", "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()"],
    ["a queue", "import queue\nqueue.Queue().get()"],
    [
      "a future, caught",
      "import asyncio\ntry:\n    asyncio.run(asyncio.Event().wait())\nexcept BaseException:\n    result = 1",
    ],
  ])("for %s that nobody gives is a deadlock", async (_, source) => {
    expect(await run(source)).toMatchObject({ status: "error", error: "Deadlock" });
  });

  it("again and again ends at the limit of timers", async () => {
    const source = "import asyncio\nasync def main():\n    while True: await asyncio.sleep(1)\nasyncio.run(main())";
    expect(await run(source, { limits: { timerTurns: 50 } })).toMatchObject({ status: "error", error: "TimerLimit" });
  });
});

describe("chance", () => {
  const source = `
import os, random, secrets, uuid, tempfile
[random.random(), random.sample(range(100), 5), secrets.token_hex(8), str(uuid.uuid4()), list(os.urandom(8)),
 list({"a", "b", "c", "d"} | {str(n) for n in range(20)}), hash("x"), repr(object())]`;

  it("is the seed's, in every way to draw it", async () => {
    const first = await run(source, { seed: 3, now: 0 });
    expect(first).toMatchObject({ ok: true });
    for (let round = 0; round < 3; round++) {
      expect(withoutUsage(await run(source, { seed: 3, now: 0 }))).toEqual(withoutUsage(first));
    }
    const other = (await run(source, { seed: 4, now: 0 })).result as JsonValue[];
    for (const index of [0, 1, 2, 3, 4]) expect(other[index]).not.toEqual((first.result as JsonValue[])[index]);
  });
});
