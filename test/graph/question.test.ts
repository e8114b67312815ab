/**
 * The question that a person is shown: nothing in it is unseen, the exact program is there, and it keeps no loop busy.
 */

import { describe, expect, it } from "vitest";
import { writeQuestion } from "../../src/graph/question.ts";
import { readReplies } from "../../src/graph/replies.ts";
import { findUnseen, showUnseen } from "../../src/graph/unseen.ts";
import { DEFAULT_LIMITS } from "../../src/limits.ts";
import { TOOL } from "./rig.ts";

const openCall = (source: string, id = "a") => ({
  call: { id, name: TOOL, language: "javascript" as const, source },
  decision: { effect: "ask" as const, reasons: [{ rule: "r\u202e", message: "m\u0007" }] },
  manifest: null,
  edited: false,
});
const ask = (source: string, id?: string) =>
  writeQuestion([openCall(source, id)], { token: "t", tamperEvident: true, problem: null });

describe("a question", () => {
  it.each([
    ["\u202e", "bidi", "U+202E"],
    ["\u2066", "bidi", "U+2066"],
    ["\u200b", "invisible", "U+200B"],
    ["\ufeff", "invisible", "U+FEFF"],
    ["\u00ad", "invisible", "U+00AD"],
    ["\u3164", "invisible", "U+3164"],
    ["\u{e0041}", "invisible", "U+E0041"],
    ["\u001b", "control", "U+001B"],
    ["\r", "control", "U+000D"],
    ["\u0000", "control", "U+0000"],
    ["\ud800", "invisible", "U+D800"],
  ])("flags %j with its place, and shows it escaped", (character, kind, codePoint) => {
    const source = `const a = 1;\n\tlet b${character} = 2;`;
    const { calls, actionRequests } = ask(source);
    expect(calls[0]?.unseen).toEqual([{ kind, codePoint, line: 2, column: 7 }]);
    expect(actionRequests[0]?.args.source).not.toContain(character);
    expect(actionRequests[0]?.args.source).toContain("\n\tlet b\\u");
    expect(JSON.parse(calls[0]?.sourceJson ?? "")).toBe(source);
    expect(calls[0]?.sourceJson).not.toContain(character);
  });

  it("has no unseen character anywhere, wherever the model put one", () => {
    const text = JSON.stringify(ask("1\u202e", "id\u001b[31m\u200b"));
    expect(findUnseen(text.replaceAll("\n", ""))).toEqual([]);
  });

  it("leaves everyday text as it is", () => {
    const source = "const größe = '日本語 😀';\n\treturn größe;\n";
    expect(showUnseen(source)).toBe(source);
    expect(ask(source).calls[0]?.unseen).toEqual([]);
  });
});

/** The host's loop may be held for 20 ms; on a busy machine the best of several says what the work itself takes. */
function bestOf(times: number, work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let index = 0; index < times; index++) {
    const started = performance.now();
    work();
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

describe("the host's loop", () => {
  const asked = { calls: [{ name: TOOL }], token: "t", limits: DEFAULT_LIMITS };
  const deep = () => {
    let value: unknown = {};
    for (let index = 0; index < 100_000; index++) value = { value };
    return value;
  };
  const HOSTILE: [string, () => unknown][] = [
    ["a list of a million decisions", () => ({ decisions: new Array(1_000_000).fill({ type: "approve" }) })],
    ["a sparse list", () => ({ decisions: new Array(2 ** 32 - 1) })],
    ["a tower of objects", deep],
    ["a tower in a decision", () => ({ decisions: [{ type: "edit", editedAction: deep() }] })],
    [
      "an object of ten thousand keys",
      () => Object.fromEntries([...Array(10_000).keys()].map((key) => [`k${key}`, 1])),
    ],
    [
      "an edit of eight million characters",
      () => ({ decisions: [{ type: "edit", editedAction: { name: TOOL, args: { source: "x".repeat(8_000_000) } } }] }),
    ],
    [
      "a message of eight million characters",
      () => ({ decisions: [{ type: "reject", message: "x".repeat(8_000_000) }] }),
    ],
    [
      "a getter",
      () => ({
        get decisions() {
          throw new Error("read");
        },
      }),
    ],
    [
      "a proxy",
      () =>
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error("asked");
            },
          },
        ),
    ],
  ];

  it.each(HOSTILE)("is not held by an answer that is %s", (_title, make) => {
    const value = make();
    expect(bestOf(20, () => readReplies(value, asked))).toBeLessThan(20);
  });

  it.each([
    ["nothing but unseen characters", "\u202e".repeat(4000)],
    ["nothing but lines", "\n".repeat(4000)],
    ["both in turn", "\n\u202e".repeat(2000)],
    ["lone surrogates", "\ud800".repeat(4000)],
  ])("is not held by a question about %s", (_title, source) => {
    const calls = [...Array(8).keys()].map((index) => openCall(source, `c${index}`));
    expect(bestOf(20, () => writeQuestion(calls, { token: "t", tamperEvident: true, problem: null }))).toBeLessThan(20);
  });
});
