/**
 * The graph in every place of a larger one: in a node with another state, two levels down, several times, in parallel,
 * by Send; with pauses, time travel and the parent's checkpointer through all of them.
 */

import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import {
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesValue,
  ReducedValue,
  Send,
  START,
  StateGraph,
  StateSchema,
  type StateSnapshot,
} from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createCodeExecutionGraph, type GraphOptions } from "../../src/graph/workflow.ts";
import { ai, call, createListener, expectAnswered, FakeModel, human, observations, scripted, statuses } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const Messages = new StateSchema({ messages: MessagesValue });
const executor = (options: Partial<GraphOptions> = {}) =>
  createCodeExecutionGraph({ sandbox: rig.sandbox, ...options });
const thread = () => ({ configurable: { thread_id: crypto.randomUUID() } });
async function history(graph: { getStateHistory(config: object): AsyncIterable<StateSnapshot> }, at: object) {
  const snapshots: StateSnapshot[] = [];
  for await (const snapshot of graph.getStateHistory(at)) snapshots.push(snapshot);
  return snapshots;
}
const timesRun = (source: string) => rig.executed.filter((executed) => executed === source).length;

const Texts = new ReducedValue(
  z.array(z.string()).default(() => []),
  { inputSchema: z.array(z.string()), reducer: (current: string[], added: string[]) => [...current, ...added] },
);

describe("a node with another state", () => {
  const State = new StateSchema({ rows: z.array(z.number()), source: z.string(), answers: Texts });

  /** Rows go in as `input`, the observation comes out: the graph is made for the data of the call. */
  function createReport() {
    return new StateGraph(State)
      .addNode("compute", async ({ rows, source }, config) => {
        const end = await executor({ input: rows }).invoke({ messages: [ai(call("c1", source))] }, config);
        return { answers: [String(end.messages.at(-1)?.content)] };
      })
      .addEdge(START, "compute")
      .addEdge("compute", END)
      .compile({ checkpointer: new MemorySaver() });
  }

  it("gives its rows as input and takes the observation", async () => {
    const at = thread();
    const source = "input.reduce((sum, row) => sum + row, 0)";
    const end = await createReport().invoke({ rows: [1, 2, 3], source }, at);
    expect(end.answers).toEqual(['{"ok":true,"status":"ok","result":6,"stdout":[]}']);
    expect(Object.keys(end).sort()).toEqual(["answers", "rows", "source"]);
  });

  it("is aborted with its parent", async () => {
    const source = "for (;;);";
    const report = new StateGraph(State)
      .addNode("compute", async ({ rows, source }, config) => {
        const slow = executor({ input: rows, limits: { timeoutMs: 60_000 } });
        const end = await slow.invoke({ messages: [ai(call("c1", source))] }, config);
        return { answers: [String(end.messages.at(-1)?.content)] };
      })
      .addEdge(START, "compute")
      .compile();
    const controller = new AbortController();
    const running = report.invoke({ rows: [], source }, { signal: controller.signal }).catch((error: Error) => error);
    await expect.poll(() => timesRun(source)).toBe(1);
    controller.abort();
    expect(await running).toBeInstanceOf(Error);
  });
});

/** The executor in a graph in a graph: only messages pass. */
function createNested(checkpointer?: MemorySaver, options: Partial<GraphOptions> = {}) {
  const inner = new StateGraph(Messages).addNode("code", executor(options)).addEdge(START, "code").compile();
  const middle = new StateGraph(Messages).addNode("inner", inner).addEdge(START, "inner").compile();
  return new StateGraph(Messages)
    .addNode("middle", middle)
    .addEdge(START, "middle")
    .compile(checkpointer === undefined ? {} : { checkpointer });
}

/** A sandbox that stops for a person before it inspects or runs a program that says so. */
function pausing(at: "policy" | "execute"): Pick<GraphOptions, "sandbox"> {
  const pause = (source: string) => source.includes("pause") && interrupt({ about: source });
  const { sandbox } = rig;
  return {
    sandbox: {
      ...sandbox,
      async inspect(request) {
        if (at === "policy") pause(request.source);
        return sandbox.inspect(request);
      },
      async execute(request) {
        if (at === "execute") pause(request.source);
        return sandbox.execute(request);
      },
    },
  };
}

/** Nodes that wait, in the deepest graph that has any. */
function deepest(state: { next: readonly string[]; tasks: readonly { state?: unknown }[] }): string[] {
  const inside = state.tasks.flatMap(({ state: below }) => (below === undefined ? [] : [below as typeof state]));
  return inside.length > 0 ? inside.flatMap(deepest) : [...state.next];
}

describe("two levels down", () => {
  it("answers as it does alone", async () => {
    const end = await createNested().invoke({ messages: [human(), ai(call("a", "6 * 7"), call("b", "null.x"))] });
    expect(statuses(end)).toEqual(["ok", "TypeError"]);
    expectAnswered(end);
  });

  it.each(["policy", "execute"] as const)(
    "stops in %s, shows that through the parent's checkpointer, and goes on",
    async (node) => {
      const source = `'pause in ${node}'`;
      const nested = createNested(new MemorySaver(), pausing(node));
      const at = thread();
      const paused = await nested.invoke({ messages: [human(), ai(call("a", source))] }, at);
      expect(paused).toMatchObject({ __interrupt__: [{ value: { about: source } }] });
      expect(deepest(await nested.getState(at, { subgraphs: true }))).toEqual([node]);
      const end = await nested.invoke(new Command({ resume: true }), at);
      expect(statuses(end)).toEqual(["ok"]);
      expect(timesRun(source)).toBe(1);
      expectAnswered(end);
    },
  );
});

describe("several in one parent", () => {
  it("keep their own policies, limits and inputs", async () => {
    const ask = (id: string, source: string) => () => ({ messages: [ai(call(id, source))] });
    const parent = new StateGraph(Messages)
      .addNode("ask1", ask("a", "const _x = input; _x"))
      .addNode("strict", executor({ policy: "strict", input: "one" }))
      .addNode("ask2", ask("b", "const _x = input; _x"))
      .addNode("standard", executor({ input: "two" }))
      .addEdge(START, "ask1")
      .addEdge("ask1", "strict")
      .addEdge("strict", "ask2")
      .addEdge("ask2", "standard")
      .compile({ checkpointer: new MemorySaver() });
    const end = await parent.invoke({ messages: [human()] }, thread());
    expect(statuses(end)).toEqual(["PolicyDenied", "ok"]);
    expect(observations(end)[1]?.result).toBe("two");
    expectAnswered(end);
  });

  it("are also one graph in two places, which share nothing", async () => {
    const code = executor();
    const parent = new StateGraph(Messages)
      .addNode("ask", () => ({ messages: [ai(call("b", "typeof globalThis.kept"))] }))
      .addNode("first", code)
      .addNode("second", code)
      .addEdge(START, "first")
      .addEdge("first", "ask")
      .addEdge("ask", "second")
      .compile();
    const end = await parent.invoke({ messages: [human(), ai(call("a", "globalThis.kept = 1"))] });
    expect(observations(end).map(({ result }) => result)).toEqual([1, "undefined"]);
  });

  it("run beside each other in parallel branches with their own states", async () => {
    const State = new StateSchema({ answers: Texts });
    const branch = (name: string) => async (_state: unknown, config: object) => {
      const end = await executor().invoke({ messages: [ai(call("same-id", `'${name}'`))] }, config);
      return { answers: [String(observations(end)[0]?.result)] };
    };
    const parent = new StateGraph(State)
      .addNode("left", branch("left"))
      .addNode("right", branch("right"))
      .addEdge(START, "left")
      .addEdge(START, "right")
      .compile({ checkpointer: new MemorySaver() });
    const end = await parent.invoke({}, thread());
    expect(end.answers.sort()).toEqual(["left", "right"]);
  });
});

describe("Send", () => {
  it("fans out over many programs, each in a state of its own", async () => {
    const State = new StateSchema({ messages: MessagesValue });
    const ids = Array.from({ length: 12 }, (_, index) => index);
    const parent = new StateGraph(State)
      .addNode("code", executor())
      .addConditionalEdges(
        START,
        () => ids.map((id) => new Send("code", { messages: [ai(call(`c${id}`, `${id} * ${id}`))] })),
        ["code"],
      )
      .compile({ checkpointer: new MemorySaver() });
    const end = await parent.invoke({ messages: [human()] }, thread());
    const results = observations(end).map(({ result }) => Number(result));
    expect(results.sort((a, b) => a - b)).toEqual(ids.map((id) => id * id));
  });

  it("that stops in each of them goes on where each is resumed", async () => {
    const ids = [0, 1, 2, 3];
    const source = (id: number) => `'pause, sent ${id}'`;
    const send = () => ids.map((id) => new Send("code", { messages: [ai(call(`c${id}`, source(id)))] }));
    const parent = new StateGraph(Messages)
      .addNode("code", executor(pausing("policy")))
      .addConditionalEdges(START, send, ["code"])
      .compile({ checkpointer: new MemorySaver() });
    const at = thread();
    await parent.invoke({ messages: [human()] }, at);
    const waiting = (await parent.getState(at)).tasks.flatMap(({ interrupts }) => interrupts);
    expect(waiting).toHaveLength(4);
    const resume = Object.fromEntries(waiting.map(({ id }) => [id, true]));
    const end = await parent.invoke(new Command({ resume }), at);
    const results = observations(end).map(({ result }) => result);
    expect(results.sort()).toEqual(ids.map((id) => `pause, sent ${id}`));
    expect(ids.map((id) => timesRun(source(id)))).toEqual([1, 1, 1, 1]);
  });
});

describe("a subgraph that remembers (checkpointer: true)", () => {
  it("goes through a parent's loop and its thread without counting a turn twice", async () => {
    const model = new FakeModel((prompt, asked) =>
      prompt.at(-1)?.getType() === "tool" ? new AIMessage("Done.") : ai(call(`c${asked}`, `${asked}`)),
    );
    const parent = new StateGraph(Messages)
      .addNode("think", async ({ messages }, config) => ({ messages: [await model.invoke(messages, config)] }))
      .addNode("code", executor({ checkpointer: true, maxTurns: 1 }))
      .addEdge(START, "think")
      .addConditionalEdges("think", ({ messages }) => (messages.at(-1)?.text === "" ? "code" : END), ["code", END])
      .addEdge("code", "think")
      .compile({ checkpointer: new MemorySaver() });
    const at = thread();
    await parent.invoke({ messages: [human("One.")] }, at);
    const end = await parent.invoke({ messages: [human("Two.")] }, at);
    expect(statuses(end)).toEqual(["ok", "ok"]);
    expectAnswered(end);
  });
});

describe("time travel through a parent", () => {
  it("goes back before the subgraph and takes another way", async () => {
    const parent = createNested(new MemorySaver());
    const at = thread();
    await parent.invoke({ messages: [human(), ai(call("a", "'first way'"))] }, at);
    const [before] = (await history(parent, at)).filter(({ next }) => next.includes("middle"));
    const asked = (before?.values as { messages: BaseMessage[] }).messages.at(-1);
    const other = new AIMessage({
      content: "",
      tool_calls: [call("a", "'second way'")],
      ...(asked?.id ? { id: asked.id } : {}),
    });
    const fork = await parent.updateState(before?.config ?? at, { messages: [other] });
    const end = await parent.invoke(null, fork);
    expect(observations(end)[0]?.result).toBe("second way");
    expectAnswered(end);
  });

  it("resumes again from a pause that was resumed before", async () => {
    const source = "'pause and replay'";
    const parent = createNested(new MemorySaver(), pausing("execute"));
    const at = thread();
    await parent.invoke({ messages: [human(), ai(call("a", source))] }, at);
    const paused = await parent.getState(at);
    const first = await parent.invoke(new Command({ resume: true }), at);
    const again = await parent.invoke(new Command({ resume: true }), paused.config);
    expect([statuses(first), statuses(again)]).toEqual([["ok"], ["ok"]]);
    expectAnswered(again);
  });

  it("of the agent in a parent asks the model again from there", async () => {
    const model = scripted(() => ai(call("a", "1")), "Done.");
    const agent = executor({ model, endOn: "answer" });
    const parent = new StateGraph(Messages)
      .addNode("agent", agent)
      .addEdge(START, "agent")
      .compile({ checkpointer: new MemorySaver() });
    const at = thread();
    await parent.invoke({ messages: [human()] }, at);
    const [start] = (await history(parent, at)).filter(({ next }) => next.includes("agent"));
    const end = await parent.invoke(null, start?.config ?? at);
    expect(end.messages.at(-1)?.text).toBe("Done.");
  });
});
