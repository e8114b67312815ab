/**
 * Messages that are posted as plain JSON, with calls in OpenAI's form: what the gate parses, what it leaves as text, and that
 * a call is judged alike in both.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { field, list } from "../../src/graph/fields.ts";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { createListener, expectAnswered, TOOL } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

async function post(...texts: string[]) {
  const limits = { sourceChars: 60_000 };
  const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, policy: "allow-all", limits });
  const calls = texts.map((text, index) => ({
    id: `c${index}`,
    type: "function",
    function: { name: TOOL, arguments: text },
  }));
  const message = { role: "assistant", content: "", tool_calls: calls };
  const end = await graph.invoke({ messages: [message] as never });
  expectAnswered(end);
  const [first, ...answers] = end.messages;
  return {
    args: list(field(first, "tool_calls")).map((call) => field(call, "args")),
    answers: answers.map(({ text }) => JSON.parse(text) as { ok: boolean; result?: unknown; error?: string }),
  };
}

describe("a posted call", () => {
  it.each([
    ['{"source":"6 * 7"}', { source: "6 * 7" }, { ok: true, result: 42 }],
    [' {\n "source" : "6 * 7" } ', { source: "6 * 7" }, { ok: true, result: 42 }],
    ['{"source":"1","x":2}', { source: "1", x: 2 }, { error: "InvalidArguments" }],
    ['{"code":"1"}', { code: "1" }, { error: "InvalidArguments" }],
    ['{"source":', {}, { error: "InvalidArguments" }],
    ["[1, 2]", {}, { error: "InvalidArguments" }],
  ])("is kept as the model wrote it, where a provider takes it back: %s", async (text, args, answer) => {
    expect(await post(text)).toMatchObject({ args: [args], answers: [answer] });
  });

  it("runs behind others that together are larger than one may be, and behind one that is no program", async () => {
    const long = (value: number) => JSON.stringify({ source: `/*${"x".repeat(40_000)}*/ ${value}` });
    expect(await post(long(1), long(2), long(3), '{"source":"4"}')).toMatchObject({
      answers: [1, 2, 3, 4].map((result) => ({ ok: true, result })),
    });
    expect(await post(`[${"{},".repeat(10_000)}{}]`, '{"source":"4"}')).toMatchObject({
      // As with every call that does not parse: behind those that do.
      answers: [{ ok: true, result: 4 }, { error: "InvalidArguments" }],
    });
  });
});
