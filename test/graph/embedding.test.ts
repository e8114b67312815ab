/**
 * The executor inside a larger graph: a parent with its own model, its own tools and its own checkpointer.
 * The parent carries only `messages`.
 */

import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createCodeExecutionGraph, type GraphOptions } from "../../src/graph/workflow.ts";
import {
  ai,
  aiMessages,
  call,
  createListener,
  expectAnswered,
  FakeModel,
  human,
  statuses,
  TOOL,
  toolMessages,
} from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const State = new StateSchema({ messages: MessagesValue });

function hasCalls(state: { messages: BaseMessage[] }): boolean {
  const last = state.messages.at(-1);
  return AIMessage.isInstance(last) && (last.tool_calls ?? []).length > 0;
}

/** The loop that a parent would write: its model, then ours, until the model stops calling. */
function createParent(model: FakeModel, options: Partial<GraphOptions> = {}, checkpointer?: MemorySaver) {
  const code = createCodeExecutionGraph({ sandbox: rig.sandbox, maxTurns: 2, ...options });
  return new StateGraph(State)
    .addNode("think", async (state, config) => ({ messages: [await model.invoke(state.messages, config)] }))
    .addNode("code", code)
    .addEdge(START, "think")
    .addConditionalEdges("think", (state) => (hasCalls(state) ? "code" : END), ["code", END])
    .addEdge("code", "think")
    .compile(checkpointer === undefined ? {} : { checkpointer });
}

/** Calls `times` times after each question, then stops. */
function stubborn(times: number): FakeModel {
  return new FakeModel((prompt, asked) => {
    const question = prompt.findLastIndex((message) => HumanMessage.isInstance(message));
    const made = prompt.slice(question).filter((message) => AIMessage.isInstance(message)).length;
    return made < times ? ai(call(`c${asked}`, `null.x${asked}`)) : new AIMessage("I give up.");
  });
}

describe("a parent's loop with its own model", () => {
  it("keeps the cap over its turns, and a second question starts fresh", async () => {
    const parent = createParent(stubborn(4), {}, new MemorySaver());
    const config = { configurable: { thread_id: "t" }, recursionLimit: 100 };
    const first = await parent.invoke({ messages: [human("First.")] }, config);
    expect(statuses(first)).toEqual(["TypeError", "TypeError", "TurnLimit", "TurnLimit"]);
    const second = await parent.invoke({ messages: [human("Second.")] }, config);
    expect(statuses(second).slice(4)).toEqual(["TypeError", "TypeError", "TurnLimit", "TurnLimit"]);
    expectAnswered(second);
  });

  it("gets success, cap and an answered failure as the outcome of each turn", async () => {
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, maxTurns: 2 });
    const first = await graph.invoke({ messages: [human(), ai(call("a", "null.x"))] });
    expect(first.outcome).toMatchObject({ kind: "answer", turns: 1 });
    const second = await graph.invoke({ messages: [...(first.messages ?? []), ai(call("b", "null.y"))] });
    expect(second.outcome).toMatchObject({ kind: "cap", turns: 2 });
    const third = await graph.invoke({ messages: [...(second.messages ?? []), ai(call("c", "1"))] });
    expect(third.outcome).toMatchObject({ kind: "cap", turns: 3 });
    expect(statuses(third).at(-1)).toBe("TurnLimit");
    const fresh = await graph.invoke({ messages: [...(third.messages ?? []), human(), ai(call("d", "1"))] });
    expect(fresh.outcome).toMatchObject({ kind: "success", turns: 1 });
  });

  it("sees the rewritten message in the place of the one that was invalid", async () => {
    const broken = { id: "c1", name: TOOL, args: '{"source": "1+', error: "Malformed" };
    const model = new FakeModel((_prompt, asked) =>
      asked === 1
        ? new AIMessage({ id: "m1", content: "", invalid_tool_calls: [broken], tool_calls: [] })
        : new AIMessage("Done."),
    );
    const code = createCodeExecutionGraph({ sandbox: rig.sandbox });
    const parent = new StateGraph(State)
      .addNode("think", async (state, config) => ({ messages: [await model.invoke(state.messages, config)] }))
      .addNode("code", code)
      .addEdge(START, "think")
      .addConditionalEdges("think", (state) => (state.messages.at(-1)?.text === "" ? "code" : END), ["code", END])
      .addEdge("code", "think")
      .compile();
    const end = await parent.invoke({ messages: [human()] });
    expect(aiMessages(end)[0]).toMatchObject({
      id: "m1",
      invalid_tool_calls: [],
      tool_calls: [{ id: "c1", args: {} }],
    });
    expectAnswered(end);
  });

  it("takes nothing of ours into its state but messages", async () => {
    const end = await createParent(stubborn(1)).invoke({ messages: [human()] });
    expect(Object.keys(end)).toEqual(["messages"]);
  });
});

describe('a parent with tools of its own and unknownTools: "leave"', () => {
  const weather = tool(async ({ city }) => `Rain in ${city}.`, {
    name: "weather",
    description: "The weather.",
    schema: z.object({ city: z.string() }),
  });
  const weatherCall = { type: "tool_call" as const, id: "w1", name: "weather", args: { city: "Bern" } };

  function createMixed(model: FakeModel, order: "code first" | "tools first") {
    const code = createCodeExecutionGraph({ sandbox: rig.sandbox, unknownTools: "leave" });
    const [first, second] = order === "code first" ? (["code", "tools"] as const) : (["tools", "code"] as const);
    return new StateGraph(State)
      .addNode("think", async (state, config) => ({ messages: [await model.invoke(state.messages, config)] }))
      .addNode("code", code)
      .addNode("tools", async (state) => {
        const last = state.messages.findLast((message) => AIMessage.isInstance(message));
        const open = (last?.tool_calls ?? []).filter(({ name }) => name === "weather");
        return open.length === 0
          ? {}
          : new ToolNode([weather]).invoke({ messages: [new AIMessage({ content: "", tool_calls: open })] });
      })
      .addEdge(START, "think")
      .addConditionalEdges("think", (state) => (hasCalls(state) ? first : END), [first, END])
      .addEdge(first, second)
      .addEdge(second, "think")
      .compile();
  }

  it.each(["code first", "tools first"] as const)(
    "has its own calls in the same message left alone, %s",
    async (order) => {
      const mixed = () => ai(weatherCall, call("c1", "6 * 7"));
      const model = new FakeModel((_prompt, asked) => (asked === 1 ? mixed() : new AIMessage("Done.")));
      const end = await createMixed(model, order).invoke({ messages: [human()] });
      expectAnswered(end);
      const answers = new Map(toolMessages(end).map((message) => [message.tool_call_id, message.text]));
      expect(answers.get("w1")).toBe("Rain in Bern.");
      expect(answers.get("c1")).toContain('"result":42');
      expect(aiMessages(end)[0]?.tool_calls).toEqual([weatherCall, call("c1", "6 * 7")]);
    },
  );

  it("answers ours alone, and says neither success nor cap of what is the parent's", async () => {
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, unknownTools: "leave" });
    const only = await graph.invoke({ messages: [ai(weatherCall)] });
    expect(only.outcome?.kind).toBe("no_calls");
    expect(toolMessages(only)).toEqual([]);
    const both = await graph.invoke({ messages: [ai(weatherCall, call("c1", "1"))] });
    expect(toolMessages(both).map((message) => message.tool_call_id)).toEqual(["c1"]);
    expect(both.outcome?.kind).toBe("success");
  });

  it("rewrites our invalid call and leaves the parent's calls, valid and invalid, as they are", async () => {
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, unknownTools: "leave" });
    const ours = { id: "c1", name: TOOL, args: '{"source": ', error: "Malformed" };
    const theirs = { id: "w2", name: "weather", args: '{"city": ', error: "Malformed" };
    const message = new AIMessage({
      id: "m1",
      content: "",
      tool_calls: [weatherCall],
      invalid_tool_calls: [ours, theirs],
    });
    const end = await graph.invoke({ messages: [message] });
    const [rewritten] = aiMessages(end);
    expect(rewritten).toMatchObject({ id: "m1", invalid_tool_calls: [theirs] });
    expect(rewritten?.tool_calls).toEqual([weatherCall, { type: "tool_call", id: "c1", name: TOOL, args: {} }]);
    expect(statuses(end)).toEqual(["InvalidArguments"]);
  });

  it("counts only the turns in which code was called", async () => {
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, unknownTools: "leave", maxTurns: 1 });
    const asked = ai(weatherCall);
    const told = await graph.invoke({
      messages: [human(), asked, ai({ ...weatherCall, id: "w2" }), ai(call("c1", "1"))],
    });
    expect(told.outcome).toMatchObject({ kind: "success", turns: 1 });
  });

  it("ends a graph with its own model where the parent's calls wait", async () => {
    const model = new FakeModel(() => ai(weatherCall, call("c1", "1")));
    const options = { sandbox: rig.sandbox, model, unknownTools: "leave", endOn: "answer" } as const;
    const end = await createCodeExecutionGraph(options).invoke({ messages: [human()] });
    expect(model.prompts).toHaveLength(1);
    expect(end.outcome?.kind).toBe("answer");
    expect(toolMessages(end).map((message) => message.tool_call_id)).toEqual(["c1"]);
  });
});
