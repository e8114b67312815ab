/**
 * A checkpoint that was edited by hand around an approval: what runs is what was approved, or nothing does.
 * The edits are made in the stored bytes, past every reducer and schema of the graph.
 */

import { MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { ASKING, KEY, questionOf, resume } from "../graph/approval-rig.ts";
import { ai, aiRaw, call, createListener, expectAnswered, human, statuses } from "../graph/rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

/** Every stored text with `from` as `to`; how many were changed. */
function edit(saver: MemorySaver, from: string, to: string): number {
  let edits = 0;
  const visit = (value: unknown): unknown => {
    if (value instanceof Uint8Array) {
      const text = new TextDecoder().decode(value);
      if (!text.includes(from)) return value;
      edits += 1;
      return new TextEncoder().encode(text.replaceAll(from, to));
    }
    if (typeof value !== "object" || value === null) return value;
    for (const [key, inner] of Object.entries(value)) (value as Record<string, unknown>)[key] = visit(inner);
    return value;
  };
  visit(saver.storage);
  visit(saver.writes);
  return edits;
}

const KEYS: [string, object][] = [
  ["with a key", { approvalKey: KEY }],
  ["without a key", {}],
];

function begin(options: object = {}) {
  const checkpointer = new MemorySaver();
  const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, policy: ASKING, checkpointer, ...options });
  const at = { configurable: { thread_id: crypto.randomUUID() } };
  return { checkpointer, graph, at };
}
const APPROVE = resume({ decisions: [{ type: "approve" }] });
const executions = (part: string) => rig.executed.filter((source) => source.includes(part));

describe.each(KEYS)("%s", (title, options) => {
  it("a program swapped while the question waits is not run by an answer to it", async () => {
    const { checkpointer, graph, at } = begin(options);
    await graph.invoke({ messages: [human(), ai(call("a", `ask; 'waits ${title}'`))] }, at);
    expect(edit(checkpointer, `waits ${title}`, `swapped ${title}`)).toBeGreaterThan(0);
    const still = await graph.invoke(APPROVE, at);
    expect(questionOf(still)?.actionRequests[0]?.args.source).toContain(`swapped ${title}`);
    expect(executions(`waits ${title}`)).toEqual([]);
    expect(executions(`swapped ${title}`)).toEqual([]);
  });

  it.each([
    ["the program", "approved", "swapped"],
    ["the language of the record", '"language":"javascript"', '"language":"python"'],
    ["the tool, and with it the language", "run_javascript_sandboxed", "run_python_sandboxed"],
    ["the decision", '"effect":"ask"', '"effect":"allow"'],
    ["the expiry", '"expiresAt":', '"expiresAt":9'],
    ["the approver", "unverified", "somebody"],
    ["the answer", '"answer":"approve"', '"answer":"edit"'],
    ["the id of the message", "message-1", "message-2"],
  ])("%s changed behind the approval: nothing runs", async (what, from, to) => {
    const { checkpointer, graph, at } = begin(options);
    const source = `ask; 'approved ${title} ${what}'`;
    const message = aiRaw({ id: "message-1", tool_calls: [call("a", source)] });
    await graph.invoke({ messages: [human(), message] }, at);
    await graph.invoke(APPROVE, { ...at, interruptBefore: ["execute"] });
    expect((await graph.getState(at)).next).toEqual(["execute"]);
    expect(edit(checkpointer, from, to)).toBeGreaterThan(0);
    const end = await graph.invoke(null, at);
    expect(statuses(end)).toEqual(["PolicyDenied"]);
    expect(executions(`${title} ${what}`)).toEqual([]);
    expectAnswered(end);
  });

  it("an allow that is written in before the question is asked about all the same", async () => {
    const { checkpointer, graph, at } = begin(options);
    await graph.invoke(
      { messages: [human(), ai(call("a", `ask; 'written ${title}'`))] },
      { ...at, interruptAfter: ["policy"] },
    );
    expect(edit(checkpointer, '"effect":"ask"', '"effect":"allow"')).toBeGreaterThan(0);
    const end = await graph.invoke(null, at);
    expect(questionOf(end)?.calls).toHaveLength(1);
    expect(executions(`written ${title}`)).toEqual([]);
  });

  it("a grant of another thread counts for nothing", async () => {
    const first = begin(options);
    const message = aiRaw({ id: "message-1", tool_calls: [call("a", `ask; 'thread ${title}'`)] });
    await first.graph.invoke({ messages: [human(), message] }, first.at);
    await first.graph.invoke(APPROVE, { ...first.at, interruptBefore: ["execute"] });
    const [from, to] = [first.at.configurable.thread_id, crypto.randomUUID()];
    const stored = first.checkpointer.storage as Record<string, unknown>;
    stored[to] = stored[from];
    edit(first.checkpointer, from, to);
    const end = await first.graph.invoke(null, { configurable: { thread_id: to } });
    expect(statuses(end)).toEqual(["PolicyDenied"]);
    expect(executions(`thread ${title}`)).toEqual([]);
  });

  it("a grant counts once, however often its checkpoint is gone back to", async () => {
    const { graph, at } = begin(options);
    await graph.invoke({ messages: [human(), ai(call("a", `ask; 'once ${title}'`))] }, at);
    await graph.invoke(APPROVE, { ...at, interruptBefore: ["execute"] });
    const before = (await graph.getState(at)).config;
    await graph.invoke(null, at);
    expect(executions(`once ${title}`)).toHaveLength(1);
    const again = await graph.invoke(null, before as typeof at);
    expect(statuses(again)).toEqual(["PolicyDenied"]);
    expect(executions(`once ${title}`)).toHaveLength(1);
  });
});

describe("a grant", () => {
  it("that has expired counts for nothing", async () => {
    const { graph, at } = begin({ approvalKey: KEY, approvalTtlMs: 1000 });
    await graph.invoke({ messages: [human(), ai(call("a", "ask; 'expired'"))] }, at);
    await graph.invoke(APPROVE, { ...at, interruptBefore: ["execute"] });
    // The clock alone: what waits goes on waiting in real time.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2000 });
    try {
      expect(statuses(await graph.invoke(null, at))).toEqual(["PolicyDenied"]);
    } finally {
      vi.useRealTimers();
    }
    expect(executions("expired")).toEqual([]);
  });

  it("is offered to the operator's store, which may say that it was used elsewhere", async () => {
    const seen: string[] = [];
    const grantStore = { use: (nonce: string) => seen.push(nonce) > 1 };
    const { graph, at } = begin({ approvalKey: KEY, grantStore });
    await graph.invoke({ messages: [human(), ai(call("a", "ask; 'store 1'"))] }, at);
    expect(statuses(await graph.invoke(APPROVE, at))).toEqual(["PolicyDenied"]);
    await graph.invoke({ messages: [human(), ai(call("b", "ask; 'store 2'"))] }, at);
    expect(statuses(await graph.invoke(APPROVE, at)).at(-1)).toBe("ReferenceError");
    expect(new Set(seen).size).toBe(2);
    expect(executions("store")).toEqual(["ask; 'store 2'"]);
  });

  it("is refused a key that is short, without showing it", () => {
    const short = "not-a-real-key";
    expect(() => begin({ approvalKey: short })).toThrow(/approvalKey: expected a secret of at least 32/);
    expect(() => begin({ approvalKey: short })).toThrow(/a string that is not shown$/);
  });
});
