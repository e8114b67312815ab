// Finds which functions of the guest's wing ordinary programs call: runs some through it in a context of this process,
// without an isolate, and reads V8's own count of calls. Programs of ours only; nothing of a caller's ever comes here.
import { Session } from "node:inspector/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createContext, Script } from "node:vm";

const FILE = "sallyport-guest.js";
const MAX_ENTRIES = 50;

/** What models write most: values of all kinds, printing, functions, errors, waiting. */
const PROGRAMS = [
  "1 + 1",
  "const list = [1, 2, 3].map((n) => n * 2);\nconsole.log('sum', list.length);\nlist;",
  "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\nconst result = fib(10);",
  "({ text: 'a', list: [1, { deep: true }], nothing: null });",
  "console.log('the last line');",
  "console.log([1, 2], { a: 'b' });",
  "const words = 'b a b'.split(' ');\nconst counts = new Map();\nfor (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);\n[...counts];",
  "class Stack { #items = []; push(item) { this.#items.push(item); return this; } get size() { return this.#items.length; } }\nnew Stack().push(1).size;",
  "throw new TypeError('no');",
  "const wait = (value) => new Promise((resolve) => setTimeout(resolve, 1, value));\nawait wait(3);",
];

async function runToItsEnd(setUp, program) {
  const run = setUp(() => undefined);
  let answer = run(JSON.stringify(program));
  // It waits: for the engine's queue of promises, or for a timer.
  for (let entry = 0; (answer === "-" || answer?.[0] === "T") && entry < MAX_ENTRIES; entry++) {
    await nextTurn();
    answer = run(null);
  }
  if (!/^[RPE]/.test(answer ?? "")) throw new Error(`a program of the profile did not end: ${program.body}`);
}

/** @param dist the folder, as a URL, of the JavaScript that was made @returns places for `functions.generated.json` */
export async function findCalledFunctions(dist) {
  const [{ joinParts }, { findFunctions }, { parseSource }, { instrument }] = await Promise.all(
    [
      "worker/guest/source",
      "worker/guest/eager",
      "worker/engines/javascript/parse",
      "worker/engines/javascript/instrument",
    ].map((name) => import(`${dist}${name}.js`)),
  );
  const script = joinParts();
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const given = { input: "{}", now: 0, seed: 1, stdoutBytes: 1e4, stdoutLines: 100, resultBytes: 1e4 };
  for (const source of PROGRAMS) {
    const setUp = new Script(script, { filename: FILE }).runInContext(createContext({}));
    const { body, slot, importer } = instrument(parseSource(source));
    await runToItsEnd(setUp, { body, slot, importer, ...given, dynamicCode: false, globals: null });
  }
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const functions = result.filter(({ url }) => url === FILE).flatMap(({ functions }) => functions);
  const called = functions.filter(({ ranges }) => ranges[0].count > 0);
  const places = new Set(called.map(({ ranges }) => `${ranges[0].startOffset}:${ranges[0].endOffset}`));
  return findFunctions(script, (start, end) => places.has(`${start}:${end}`));
}
