/**
 * Python's programs for the conformance suite.
 * Programs only: what is expected of them stands in the suite.
 */

import type { Programs } from "./engine.ts";

const quote = (text: string): string => JSON.stringify(text);

export const PYTHON_PROGRAMS: Programs = {
  endsInExpression: { source: "a = 40\na + 2", result: 42 },
  bindsResult: { source: "result = 7\n9", result: 7 },
  bindsResultToNull: { source: "result = None\n9", result: null },
  printsFive: { source: "print(5)", result: "5" },
  hasNoValue: { source: "if True:\n    5", result: null },
  hasTaggedValue: { source: "2 ** 70", result: { $type: "bigint", value: "1180591620717411303424" } },
  failsAtRunTime: { source: "a = 1\n\nx = missing(a)", error: "NameError", line: 3, column: 5 },
  failsToParse: { source: "a = 1\nb = a +", error: "SyntaxError", line: 2, column: 8 },
  failsAtLength: "raise ValueError('😀' * 1000)",
  printsThenLoops: "print('before')\nwhile True: pass",
  printsThenFillsMemory: "print('before')\nkept = []\nwhile True: kept.append(bytearray(10 ** 6))",
  // By the isolate's own JavaScript, which guest code does reach: a built-in of V8 that no time limit of it stops.
  printsThenCannotBeInterrupted:
    "from pyodide.ffi import to_js\nprint('before')\n" +
    "to_js([]).constructor.constructor('[].reverse.call({ length: 2 ** 53 - 1 })')()",
  printsForever: "line = 0\nwhile True:\n    print(line)\n    line += 1",
  prints: (text) => `print(${quote(text)})`,
  hasText: (letters) => `"x" * ${letters}`,
  readsInput: "input['a'] * 2",
  drawsNumbers: "import random\n[random.random() for _ in range(10)]",
  readsClock: "import time\nround(time.time() * 1000)",
  waits: `
import asyncio, time
start = time.time()
await asyncio.sleep(80)
time.sleep(10)
round((time.time() - start) * 1000)`,
  waitsForNothing: "import asyncio\nawait asyncio.Future()",
  leavesTraces: `
import builtins, json, math, os, random, sys
builtins.trace = 1
math.trace2 = 2
os.environ["trace3"] = "3"
open("trace4", "w").write("4")
json.dumps = None
random.random = lambda: 4
sys.modules["trace5"] = sys
sys.path.clear()
raise ValueError("left")`,
  findsTraces: `
import builtins, json, math, os, random, sys
found = [name for name, there in {
    "trace": hasattr(builtins, "trace"),
    "trace2": hasattr(math, "trace2"),
    "trace3": "trace3" in os.environ,
    "trace4": os.path.exists("trace4"),
    "trace5": "trace5" in sys.modules,
    "dumps": json.dumps is None,
    "random": random.random() == 4,
    "path": not sys.path,
}.items() if there]
found`,
};
