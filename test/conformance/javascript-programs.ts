/**
 * JavaScript's programs for the conformance suite: what is expected of them stands in the suite.
 */

import type { Programs } from "./engine.ts";

export const JAVASCRIPT: Programs = {
  endsInExpression: { source: "const a = 40; a + 2", result: 42 },
  bindsResult: { source: "const result = 7; 9", result: 7 },
  bindsResultToNull: { source: "result = null; 9", result: null },
  printsFive: { source: "console.log(5)", result: "5" },
  hasNoValue: { source: "if (true) { 5 }", result: null },
  hasTaggedValue: { source: "2n ** 70n", result: { $type: "bigint", value: "1180591620717411303424" } },
  failsAtRunTime: { source: "const a = 1;\n\n  missing(a);", error: "ReferenceError", line: 3, column: 3 },
  failsToParse: { source: "const a = 1;\nconst b = a +;", error: "SyntaxError", line: 2, column: 14 },
  failsAtLength: "throw new Error('😀'.repeat(1000))",
  printsThenLoops: "console.log('before'); while (true);",
  printsThenFillsMemory: "console.log('before'); const kept = []; for (;;) kept.push(new Array(1e4).fill(1.5))",
  printsThenCannotBeInterrupted: "console.log('before'); [].reverse.call({ length: 2 ** 53 - 1 })",
  printsForever: "for (let line = 0; ; line++) console.log(line)",
  prints: (text) => `console.log(${JSON.stringify(text)})`,
  hasText: (letters) => `"x".repeat(${letters})`,
  readsInput: "input.a * 2",
  drawsNumbers: "Array.from({ length: 10 }, () => Math.random())",
  readsClock: "Date.now()",
  waits: "const from = Date.now(); await new Promise((done) => setTimeout(done, 90_000)); Date.now() - from",
  waitsForNothing: "await new Promise(() => {})",
  leavesTraces: `
    var trace = 1; globalThis.trace2 = 2; Object.prototype.trace3 = 3; Array.prototype.map = () => "trace";
    JSON.parse = null; Symbol.for("trace").description; setInterval(() => { globalThis.trace4 = 4 }, 1);
    Promise.prototype.then = null; console.log = null; Object.freeze(globalThis); throw new Error("left")`,
  findsTraces: `["trace", "trace2", "trace3", "trace4"].filter((name) => name in globalThis)
    .concat([1].map((n) => n)[0] === 1 ? [] : ["map"], typeof JSON.parse === "function" ? [] : ["parse"],
      typeof console.log === "function" ? [] : ["log"], Object.isFrozen(globalThis) ? ["frozen"] : [])`,
};
