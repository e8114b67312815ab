/**
 * Attacks on the next run: whatever a program leaves behind, the next one in the very same worker starts afresh.
 * One worker and no standby, so that there is no other worker to be lucky with.
 */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { useSandbox, withoutUsage } from "../fixtures/use-sandbox.ts";
import { listLeaves } from "../studio/process-tree.ts";

const inUse = useSandbox({ workers: 1, standby: 0, startTimeoutMs: 60_000 });
const { run } = inUse;

/** Looks at everything that the attacks below change, in one value. */
const PROBE = `
  const own = (holder) => Object.getOwnPropertyNames(holder).concat(Object.getOwnPropertySymbols(holder).map(String)).sort();
  console.log("%s", "probe");
  setTimeout(() => console.log("timer"), 5);
  new URL("http://a.b/?q=1").searchParams.get("q") + [
    own(globalThis), own(Object.prototype), own(Array.prototype), own(Function.prototype), own(Promise.prototype),
    own(console), own(URL.prototype), own(Intl.DateTimeFormat.prototype), typeof trace, typeof input,
    Object.isFrozen(Object.prototype), Object.isExtensible(globalThis), RegExp.$1, Error.stackTraceLimit,
    typeof Error.prepareStackTrace, Math.random(), Date.now(), performance.now(), new Date(0).toISOString(),
    JSON.stringify([1, { a: 2 }]), [3, 1, 2].sort().join(), "abc".slice(1), Symbol.for("trace") === Symbol.for("trace"),
    new Intl.DateTimeFormat("en-US").format(), structuredClone({ a: [1] }).a[0], atob(btoa("x")),
  ].join("|")`;

const ATTACKS: [what: string, source: string][] = [
  ["global variables", "trace = 1; var trace2 = 2; globalThis.trace3 = 3; this.result = 4; globalThis.input = 5"],
  [
    "prototypes",
    "Object.prototype.trace = 1; Array.prototype.map = () => 'trace'; String.prototype.slice = () => 'trace'",
  ],
  [
    "accessors on prototypes",
    "Object.defineProperty(Object.prototype, 'trace', { get() { for (;;); }, set() { throw 1 } })",
  ],
  [
    "built-ins",
    "JSON.stringify = Math.random = Date.now = Reflect.ownKeys = () => 'trace'; Promise = Map = Object = null",
  ],
  ["the console", "console.log = () => { throw 1 }; console.group('trace'); console.count(); console.time('trace')"],
  [
    "what is made when it is first read",
    "URL.prototype.trace = 1; URLSearchParams.prototype.get = () => 'trace'; TextEncoder.prototype.encode = null; Temporal.Now.instant = null",
  ],
  [
    "frozen objects",
    "for (const holder of [Object.prototype, Array.prototype, globalThis, console, URL.prototype]) Object.freeze(holder)",
  ],
  ["the last match of a pattern", "/(.*)/.exec('trace'); RegExp.$1"],
  [
    "timers",
    "setInterval(() => { globalThis.trace = 1 }, 1); setTimeout(() => console.log('trace'), 1e9); throw new Error('left')",
  ],
  [
    "microtasks",
    "(async () => { for (let n = 0; n < 1e5; n++) await 0; globalThis.trace = 1 })(); throw new Error('left')",
  ],
  ["unhandled rejections", "Promise.reject(1); Promise.reject(new Error('trace')); 1"],
  ["symbols of the registry", "Symbol.for('trace').description; Symbol.prototype.trace = 1"],
  [
    "the settings of errors",
    "Error.stackTraceLimit = 0; Error.prepareStackTrace = () => 'trace'; throw new Error('left')",
  ],
  ["the clock", "await new Promise((done) => setTimeout(done, 1e6)); Date = null; performance.now = () => 'trace'; 1"],
  ["chance", "for (let n = 0; n < 1000; n++) Math.random(); 1"],
  ["its output, used up", "for (let n = 0; n < 2000; n++) console.log('x'.repeat(100)); 1"],
  ["its input, changed", "input.a = 'trace'; Object.setPrototypeOf(input, { trace: 1 }); input"],
  [
    "its arguments, changed",
    "arguments[0].last = 1; arguments[0].result = () => 'trace'; Object.freeze(arguments[0]); 1",
  ],
  ["an engine that has overflown", "(function again() { again() })()"],
  ["a parser that has overflown", "(".repeat(3000)],
  ["a transpiler that has overflown", `let x: ${"(".repeat(3000)}`],
  ["TypeScript", "enum trace { A } namespace.x"],
];

describe("after a program that leaves behind", () => {
  it.each(ATTACKS)("%s, the next one sees nothing of it", async (_, source) => {
    const asked = { seed: 3, now: 1e12 };
    const before = withoutUsage(await run(PROBE, asked));
    expect(before).toMatchObject({ ok: true, stdout: ["probe", "timer"] });
    const [worker] = listLeaves(process.pid);
    await run(source, { ...asked, input: { a: 1 } });
    expect(withoutUsage(await run(PROBE, asked))).toEqual(before);
    // The same worker: it is the isolate that is fresh, not only the process.
    expect(listLeaves(process.pid)).toContainEqual(worker);
  });

  it.each([
    ["what was denied", { permits: { dynamicCode: false, globals: ["Math"] } }],
    ["a small limit of memory", { limits: { memoryMb: 8 } }],
    ["small limits of output", { limits: { stdoutBytes: 1, resultBytes: 4, timerTurns: 1 } }],
    ["another seed and time", { seed: 99, now: 5 }],
  ])("%s, the next one has its own", async (_, asked) => {
    const before = withoutUsage(await run(PROBE, { seed: 3, now: 1e12 }));
    await run("Math.random()", asked);
    expect(withoutUsage(await run(PROBE, { seed: 3, now: 1e12 }))).toEqual(before);
  });
});

describe("a worker that has run many programs", () => {
  it("is as it was: neither slower nor larger without end", async () => {
    const residentMb = (): number => {
      const [worker] = listLeaves(process.pid);
      return (Number(readFileSync(`/proc/${worker?.pid}/statm`, "latin1").split(" ")[1]) * 4096) / 1024 ** 2;
    };
    for (let n = 0; n < 50; n++) await run("const kept = []; for (let n = 0; n < 1e4; n++) kept.push({ n }); 1");
    const early = residentMb();
    for (let n = 0; n < 200; n++) await run("const kept = []; for (let n = 0; n < 1e4; n++) kept.push({ n }); 1");
    expect(residentMb() - early).toBeLessThan(100);
  });
});
