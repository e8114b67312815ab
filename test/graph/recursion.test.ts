/**
 * LangGraph's own step limit, set by a caller or a parent: the graph ends before it, whatever it is.
 * Never a GraphRecursionError, and never a call without its answer.
 */

import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { neededRecursionLimit } from "../../src/graph/room.ts";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { ai, call, createListener, expectAnswered, FakeModel, human, scripted, statuses, toolMessages } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const failing = () => new FakeModel((_prompt, asked) => ai(call(`c${asked}`, `null.x${asked}`)));

describe("a caller's recursionLimit", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16])(
    "of %i ends an agent that never succeeds gracefully",
    async (recursionLimit) => {
      const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, model: failing(), maxTurns: 10 });
      const end = await graph.invoke({ messages: [human()] }, { recursionLimit });
      if (recursionLimit > 1) expect(end.outcome?.kind).toBe("cap");
      expectAnswered(end);
      const ran = statuses(end).filter((status) => status === "TypeError").length;
      expect(ran).toBe(Math.floor((recursionLimit - 1) / 5));
    },
  );

  it.each([1, 2, 3, 4, 5, 6])("of %i ends an agent that goes on after success gracefully", async (recursionLimit) => {
    const model = new FakeModel((_prompt, asked) => ai(call(`c${asked}`, `${asked}`)));
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, model, maxTurns: 10, endOn: "answer" });
    expectAnswered(await graph.invoke({ messages: [human()] }, { recursionLimit }));
  });

  it.each([2, 3, 4])("of %i leaves the executor no room to run, so it answers every call", async (recursionLimit) => {
    const source = `'no room ${recursionLimit}'`;
    const messages = [ai(call("a", source), call("b", "1", "unknown"), call("c", "null.x"))];
    const end = await createCodeExecutionGraph({ sandbox: rig.sandbox }).invoke({ messages }, { recursionLimit });
    expectAnswered(end);
    expect(end.outcome?.kind).toBe("cap");
    expect(rig.executed).not.toContain(source);
    expect(statuses(end)).toContain("TurnLimit");
  });

  it("of 5 is room enough for the executor", async () => {
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox });
    const end = await graph.invoke({ messages: [ai(call("c1", "1"))] }, { recursionLimit: 5 });
    expect(end.outcome?.kind).toBe("success");
  });

  it("leaves room for an answer after the last turn that it has room for", async () => {
    const model = scripted(() => ai(call("c1", "6 * 7")), "It is 42.");
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, model, endOn: "answer", maxTurns: 10 });
    const end = await graph.invoke({ messages: [human()] }, { recursionLimit: 9 });
    expect(end.outcome?.kind).toBe("answer");
  });

  it("is counted anew in every run of a thread", async () => {
    const model = failing();
    const graph = createCodeExecutionGraph({
      sandbox: rig.sandbox,
      model,
      maxTurns: 2,
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "t" }, recursionLimit: 11 };
    for (let question = 1; question <= 4; question++) {
      const end = await graph.invoke({ messages: [human()] }, config);
      expect(end.outcome).toMatchObject({ kind: "cap", turns: 2 });
      expect(model.prompts).toHaveLength(2 * question);
    }
  });
});

describe("the graph's own recursionLimit", () => {
  it.each([1, 2, 5, 20, 100])("is enough for %i turns and an answer after them", async (maxTurns) => {
    const model = new FakeModel((_prompt, asked) =>
      ai(call(`c${asked}`, "1", asked > maxTurns ? undefined : "unknown_tool")),
    );
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, model, maxTurns });
    const end = await graph.invoke({ messages: [human()] });
    expect(end.outcome).toMatchObject({ kind: "cap", turns: maxTurns });
    expect(toolMessages(end)).toHaveLength(maxTurns);
  });

  it("is exact: an answer that calls once more still has room to be refused", async () => {
    const model = new FakeModel((_prompt, asked) => ai(call(`c${asked}`, "1")));
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, model, maxTurns: 2, endOn: "answer" });
    const end = await graph.invoke({ messages: [human()] });
    expect(statuses(end)).toEqual(["ok", "ok", "TurnLimit"]);
    expect(neededRecursionLimit(2, true, false)).toBe(14);
  });
});

describe("a parent's recursionLimit", () => {
  const State = new StateSchema({ messages: MessagesValue });

  it("of 25, LangGraph's default, ends a subgraph with maxTurns 10 gracefully", async () => {
    const code = createCodeExecutionGraph({ sandbox: rig.sandbox, model: failing(), maxTurns: 10 });
    const parent = new StateGraph(State).addNode("code", code).addEdge(START, "code").compile();
    const end = await parent.invoke({ messages: [human()] });
    expectAnswered(end);
    expect(statuses(end)).toEqual(Array(4).fill("TypeError"));
  });

  it("counts for a graph that a parent's node invokes by hand, too", async () => {
    const code = createCodeExecutionGraph({ sandbox: rig.sandbox, model: failing(), maxTurns: 10 });
    const parent = new StateGraph(State)
      .addNode("code", async (state, config) => ({
        messages: (await code.invoke({ messages: state.messages }, config)).messages ?? [],
      }))
      .addEdge(START, "code")
      .compile();
    expectAnswered(await parent.invoke({ messages: [human()] }, { recursionLimit: 7 }));
    expectAnswered(await parent.invoke({ messages: [human()] }));
  });
});
