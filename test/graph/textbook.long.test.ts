/**
 * The textbook's negatives under `strict`, in both languages, through the graph: each is refused by the rule that is
 * about it, in words that say what to do instead, and no engine is asked.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { ai, call, createListener, expectAnswered, human, observations } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const BUILTINS = /^Refused: (open|hasattr)\. The only built-in functions: abs, min, max, /;
const GLOBALS = /The only globals: Math, Number, .* Declare others with let or const\.$/;
const MODULES =
  /^Refused: (os|socket|fs|node:net|node:os)\. No module can be loaded: there is no import and no require\. Write what you need yourself\./;
const NAMES = /begin with (an underscore|_)/;
const LENGTH = /^"source" has 4001 characters; at most 4000 are allowed\. Send a shorter program\.$/;

/** `rule` null: rejected before the policy is asked. */
const NEGATIVES: [language: "python" | "javascript", source: string, rule: string | null, words: RegExp][] = [
  ["python", "open('secret.txt')", "globals-python", BUILTINS],
  ["python", "import socket", "imports", MODULES],
  ["python", "__import__('os').system('id')", "imports", MODULES],
  ["python", "import os", "imports", MODULES],
  ["python", "class Box:\n    _inner = 1\nBox()._inner", "private-python", NAMES],
  ["python", "hasattr(1, 'real')", "globals-python", BUILTINS],
  ["python", `#${"x".repeat(4000)}`, null, LENGTH],
  ["javascript", "require('fs').readFileSync('secret.txt')", "imports", MODULES],
  ["javascript", "import net from 'node:net'", "imports", MODULES],
  ["javascript", "process.mainModule.require('child_process').execSync('id')", "globals-javascript", GLOBALS],
  ["javascript", "import os from 'node:os'", "imports", MODULES],
  ["javascript", "const box = { _inner: 1 }; box._inner", "private-javascript", NAMES],
  ["javascript", "setTimeout(() => 1, 1)", "globals-javascript", GLOBALS],
  ["javascript", `//${"x".repeat(3999)}`, null, LENGTH],
];

async function refuse(made: ReturnType<typeof call>) {
  const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, policy: "strict" });
  const end = await graph.invoke({ messages: [human(), ai(made)] });
  expectAnswered(end);
  expect(rig.executed).toEqual([]);
  expect(end.receipts?.[0]?.engineSha256).toBeNull();
  return { observation: observations(end)[0], rules: end.receipts?.[0]?.rules ?? [] };
}

describe("under strict", () => {
  it.each(NEGATIVES)("%s: %s is refused by %s", { timeout: 60_000 }, async (language, source, rule, words) => {
    const { observation, rules } = await refuse(call("a", source, `run_${language}_sandboxed`));
    expect(observation).toMatchObject({ ok: false, status: rule === null ? "rejected" : "denied" });
    expect(observation?.message).toMatch(words);
    expect(observation?.message).not.toContain("could not be ruled out");
    if (rule !== null) expect(rules).toContain(rule);
  });

  it("an unknown tool, run_shell, is told which ones there are", async () => {
    const { observation } = await refuse(call("a", "id", "run_shell"));
    expect(observation).toMatchObject({ ok: false, status: "rejected", error: "ToolNotAllowed" });
    expect(observation?.message).toBe(
      "There is no such tool. Allowed: run_javascript_sandboxed, run_python_sandboxed.",
    );
  });
});
