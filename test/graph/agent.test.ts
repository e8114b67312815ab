/**
 * The graph with a model of its own: when it ends and as what, what the model is asked, and what it is spared.
 * The model follows a script; sandbox and policy are real.
 */

import { AIMessage, AIMessageChunk, type BaseMessage, SystemMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodeExecutionGraph, type GraphOptions } from "../../src/graph/workflow.ts";
import {
  ai,
  aiMessages,
  aiRaw,
  call,
  createListener,
  expectAnswered,
  FakeModel,
  human,
  observations,
  scripted,
  statuses,
  TOOL,
  toolMessages,
  within,
} from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const agent = (model: FakeModel, options: Partial<GraphOptions> = {}) =>
  createCodeExecutionGraph({ sandbox: rig.sandbox, model, ...options });

const failing = (asked: number) => ai(call(`call_${asked}`, `null.x${asked}`));

describe("an agent that ends on success", () => {
  it("ends with the tool message of the first turn that is ok, and does not ask the model again", async () => {
    const model = scripted(() => ai(call("c1", "6 * 7")));
    const end = await agent(model).invoke({ messages: [human()] });
    expect(end.outcome).toMatchObject({ kind: "success", turns: 1 });
    expect(end.messages?.at(-1)?.getType()).toBe("tool");
    expect(model.prompts).toHaveLength(1);
  });

  it("lets the model repair its program, with the observation in front of it", async () => {
    const model = scripted(
      () => ai(call("c1", "valeu + 1")),
      () => ai(call("c2", "1 + 1")),
    );
    const end = await agent(model).invoke({ messages: [human()] });
    expect(end.outcome).toMatchObject({ kind: "success", turns: 2 });
    expect(statuses(end)).toEqual(["ReferenceError", "ok"]);
    expect(model.prompts[1]?.at(-1)?.text).toContain("ReferenceError");
    expectAnswered(end);
  });

  it("that never succeeds is ended by the cap, with every call answered and the model asked no more", async () => {
    const model = new FakeModel((_prompt, asked) => failing(asked));
    const end = await agent(model, { maxTurns: 3 }).invoke({ messages: [human()] });
    expect(end.outcome).toMatchObject({ kind: "cap", turns: 3 });
    expect(model.prompts).toHaveLength(3);
    expectAnswered(end);
  });

  it("is not ended by one call that is ok beside one that is not", async () => {
    const model = scripted(
      () => ai(call("a", "1"), call("b", "null.x")),
      () => ai(call("c", "2")),
    );
    const end = await agent(model).invoke({ messages: [human()] });
    expect(end.outcome).toMatchObject({ kind: "success", turns: 2 });
  });

  it("says answer where the model uses words, and no_calls where it says nothing at all", async () => {
    const spoken = await agent(scripted("Forty-two.")).invoke({ messages: [human()] });
    expect(spoken.outcome).toEqual({ kind: "answer", turns: 0, observation: null });
    const silent = await agent(scripted("")).invoke({ messages: [human()] });
    expect(silent.outcome).toEqual({ kind: "no_calls", turns: 0, observation: null });
  });

  it("takes neither text that imitates a call nor a content block for a call", async () => {
    const imitation = '<tool_call>{"name":"run_javascript_sandboxed","args":{"source":"1"}}</tool_call>';
    expect((await agent(scripted(imitation)).invoke({ messages: [human()] })).outcome?.kind).toBe("answer");
    const block = { type: "tool_use", id: "c1", name: TOOL, input: { source: "'block'" } };
    const model = new FakeModel(() => aiRaw({ content: [block], tool_calls: [] }));
    const end = await agent(model).invoke({ messages: [human()] });
    expect(toolMessages(end)).toEqual([]);
    expect(rig.executed).not.toContain("'block'");
  });

  it("takes a call that the provider's client could not parse for a call, not for an answer", async () => {
    const broken = { id: "c1", name: TOOL, args: '{"source": "1+', error: "Malformed" };
    const model = new FakeModel((_prompt, asked) =>
      asked === 1 ? aiRaw({ tool_calls: [], invalid_tool_calls: [broken] }) : ai(call("c2", "2")),
    );
    const end = await agent(model).invoke({ messages: [human()] });
    expect(statuses(end)).toEqual(["InvalidArguments", "ok"]);
    expectAnswered(end);
    expect(aiMessages(end)[0]?.tool_calls).toEqual([{ type: "tool_call", id: "c1", name: TOOL, args: {} }]);
  });
});

describe("an agent that ends on an answer", () => {
  it("goes on after success until the model answers without calls", async () => {
    const model = scripted(() => ai(call("c1", "6 * 7")), "It is 42.");
    const end = await agent(model, { endOn: "answer" }).invoke({ messages: [human()] });
    expect(end.outcome).toEqual({
      kind: "answer",
      turns: 1,
      observation: '{"ok":true,"status":"ok","result":42,"stdout":[]}',
    });
    expect(end.messages?.at(-1)?.text).toBe("It is 42.");
  });

  it("may put a success of the last turn into words", async () => {
    const model = scripted(() => ai(call("c1", "6 * 7")), "It is 42.");
    const end = await agent(model, { endOn: "answer", maxTurns: 1 }).invoke({ messages: [human()] });
    expect(end.outcome).toMatchObject({ kind: "answer", turns: 1 });
  });

  it("that calls on and on is ended by the cap: the call over it is answered TurnLimit and never run", async () => {
    const model = new FakeModel((_prompt, asked) => ai(call(`c${asked}`, `${asked} + 1000`)));
    const end = await agent(model, { endOn: "answer", maxTurns: 2 }).invoke({ messages: [human()] });
    expect(end.outcome).toMatchObject({ kind: "cap" });
    expect(statuses(end)).toEqual(["ok", "ok", "TurnLimit"]);
    expect(rig.executed).not.toContain("3 + 1000");
    expect(model.prompts).toHaveLength(3);
    expectAnswered(end);
  });

  it("that fails on and on is asked as often as there are turns", async () => {
    const model = new FakeModel((_prompt, asked) => failing(asked));
    const end = await agent(model, { endOn: "answer", maxTurns: 2 }).invoke({ messages: [human()] });
    expect(end.outcome).toMatchObject({ kind: "cap", turns: 2 });
    expect(model.prompts).toHaveLength(2);
    expectAnswered(end);
  });
});

describe("what the model is asked", () => {
  it("binds the tools of the sandbox with a description from policy and limits", async () => {
    const model = scripted("Done.");
    await agent(model, { policy: "strict", limits: { timeoutMs: 777 } }).invoke({ messages: [human()] });
    expect(model.boundTools).toMatchObject([
      { name: TOOL, description: expect.stringContaining("777 ms") },
      { name: "run_python_sandboxed", description: expect.stringContaining("777 ms") },
    ]);
  });

  it("puts the system message first and never into the state", async () => {
    for (const systemMessage of ["Be brief.", new SystemMessage("Be brief.")]) {
      const model = scripted("Done.");
      const end = await agent(model, { systemMessage }).invoke({ messages: [human()] });
      expect(model.prompts[0]?.map((message) => message.text)).toEqual(["Be brief.", "Compute."]);
      expect(end.messages?.map((message) => message.getType())).toEqual(["human", "ai"]);
    }
  });

  it("starts a new question at turn 0, on one thread", async () => {
    const model = new FakeModel((_prompt, asked) => failing(asked));
    const graph = agent(model, { maxTurns: 2, checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "t" } };
    for (const question of ["First.", "Second.", "Third."]) {
      const end = await graph.invoke({ messages: [human(question)] }, config);
      expect(end.outcome).toMatchObject({ kind: "cap", turns: 2 });
      expectAnswered(end);
    }
    expect(model.prompts).toHaveLength(6);
  });

  it("keeps every answer of a server that gives them all the same id", async () => {
    const model = new FakeModel((_prompt, asked) => {
      const message = failing(asked);
      message.id = "chatcmpl-1";
      return message;
    });
    const end = await within(10_000, agent(model, { maxTurns: 3 }).invoke({ messages: [human()] }));
    expect(end.outcome).toMatchObject({ kind: "cap", turns: 3 });
    expect(aiMessages(end)).toHaveLength(3);
    expectAnswered(end);
  });

  it("closes the calls that an aborted run left open, for the prompt alone", async () => {
    const model = scripted("Done.");
    const left: BaseMessage[] = [human("First."), ai(call("c1", "1"), call("c2", "2")), human("Second.")];
    const end = await agent(model).invoke({ messages: left });
    const prompt = model.prompts[0] ?? [];
    expectAnswered({ messages: prompt });
    expect(prompt.map((message) => message.getType())).toEqual(["human", "ai", "tool", "tool", "human"]);
    expect(end.messages?.map((message) => message.getType())).toEqual(["human", "ai", "human", "ai"]);
  });
});

describe("a model that fails", () => {
  it("rejects the run with a ModelError that repeats no key, and the checkpoint holds none", async () => {
    const model = new FakeModel(() => {
      throw Object.assign(new Error("401 for key sk-test-CANARY1234"), { status: 401 });
    });
    const checkpointer = new MemorySaver();
    const run = agent(model, { checkpointer }).invoke({ messages: [human()] }, { configurable: { thread_id: "t" } });
    await expect(run).rejects.toMatchObject({ name: "ModelError", status: 401, message: /401 for key \[secret\]/ });
    const stored = Object.values(checkpointer.writes).flatMap((writes) => Object.values(writes));
    const texts = stored.map(([, , value]) => new TextDecoder().decode(value));
    expect(texts.join("\n")).toContain("ModelError");
    expect(texts.join("\n")).not.toContain("CANARY");
  });

  it("in a later turn leaves the results of the turns before it on the thread, and can be asked again", async () => {
    const model = new FakeModel((_prompt, asked) => {
      if (asked === 2) throw new Error("overloaded");
      return ai(call(`c${asked}`, asked === 1 ? "null.x" : "3"));
    });
    const graph = agent(model, { checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "t" } };
    await expect(graph.invoke({ messages: [human()] }, config)).rejects.toThrow("overloaded");
    const kept = (await graph.getState(config)).values as { messages: BaseMessage[] };
    expect(statuses(kept)).toEqual(["TypeError"]);
    const end = await graph.invoke(null, config);
    expect(end.outcome).toMatchObject({ kind: "success", turns: 2 });
    expectAnswered(end);
  });

  it("that cannot be made is told at the first question, not when the graph is made", async () => {
    let made = 0;
    const graph = createCodeExecutionGraph({
      sandbox: rig.sandbox,
      model: () => {
        made++;
        throw new Error("OPENAI_API_KEY is not set");
      },
    });
    expect(made).toBe(0);
    await expect(graph.invoke({ messages: [human()] })).rejects.toThrow("OPENAI_API_KEY is not set");
    await expect(graph.invoke({ messages: [human()] })).rejects.toThrow("OPENAI_API_KEY is not set");
    expect(made).toBe(2);
  });
});

describe("a streamed answer", () => {
  const chunk = (args: string, extra: object = {}) =>
    new AIMessageChunk({
      content: "",
      tool_call_chunks: [{ type: "tool_call_chunk", id: "c1", name: TOOL, args, index: 0 }],
      ...extra,
    });

  it("that is cut is never repaired into a call that runs", async () => {
    const model = new FakeModel((_prompt, asked) =>
      asked === 1 ? (chunk('{"source": "\'cut\'') as unknown as AIMessage) : ai(call("c2", "2")),
    );
    const end = await agent(model).invoke({ messages: [human()] });
    expect(statuses(end)).toEqual(["InvalidArguments", "ok"]);
    expect(rig.executed).not.toContain("'cut'");
    expectAnswered(end);
  });

  it("that is whole runs, and one that reached the token limit does not", async () => {
    const source = JSON.stringify({ source: "'whole'" });
    const whole = new FakeModel(() => chunk(source) as unknown as AIMessage);
    expect(observations(await agent(whole).invoke({ messages: [human()] }))[0]?.result).toBe("whole");
    for (const metadata of [
      { finish_reason: "length" },
      { stop_reason: "max_tokens" },
      { finishReason: "MAX_TOKENS" },
    ]) {
      const limited = scripted(() => chunk(source, { response_metadata: metadata }) as unknown as AIMessage, "Sorry.");
      expect(statuses(await agent(limited).invoke({ messages: [human()] }))).toEqual(["TruncatedCall"]);
    }
    expect(rig.executed.filter((executed) => executed === "'whole'")).toHaveLength(1);
  });
});
