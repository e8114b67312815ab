/**
 * The tools in a ToolNode: with the conversation before them they count turns and repeats as the graph does, and put one
 * question for all calls of a turn before any of them runs. In langgraph's prebuilt node and in langchain's agent.
 */

import type { BaseMessage } from "@langchain/core/messages";
import { Command, END, MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodeTools } from "../../src/graph/tools.ts";
import type { BoundOptions } from "../../src/options-graph.ts";
import { definePolicy } from "../../src/policy/define-policy.ts";
import {
  ai,
  call,
  createListener,
  expectAnswered,
  type FakeModel,
  human,
  observations,
  scripted,
  statuses,
} from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const ASKS = definePolicy({
  name: "asks",
  extends: "standard",
  rules: [{ id: "ask", effect: "ask", when: ({ source }) => source.includes("ask"), message: "A person decides." }],
});

interface End {
  messages: BaseMessage[];
  __interrupt__?: { id: string; value: { calls: { callId: string }[] } }[];
}
interface Loop {
  invoke(input: object, config: object): Promise<End>;
}

/** The loop of the documentation: a model, a ToolNode, and back. */
function createLoop(model: FakeModel, options: Partial<BoundOptions> = {}): Loop {
  const tools = createCodeTools({ sandbox: rig.sandbox, ...options });
  return new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "model")
    .addConditionalEdges("model", ({ messages }) => (messages.at(-1)?.text === "" ? "tools" : END), ["tools", END])
    .addEdge("tools", "model")
    .compile({ checkpointer: new MemorySaver() });
}

function createPlainAgent(model: FakeModel, options: Partial<BoundOptions> = {}): Loop {
  const tools = createCodeTools({ sandbox: rig.sandbox, ...options });
  return createAgent({ model, tools, checkpointer: new MemorySaver() }) as unknown as Loop;
}

const thread = () => ({ configurable: { thread_id: crypto.randomUUID() }, recursionLimit: 30 });
const timesRun = (source: string) => rig.executed.filter((executed) => executed === source).length;
const approve = { type: "approve" };
const reject = { type: "reject", message: "No." };
const edit = (source: string) => ({
  type: "edit",
  editedAction: { name: "run_javascript_sandboxed", args: { source } },
});

describe.each([
  ["langgraph's ToolNode", createLoop],
  ["langchain's agent", createPlainAgent],
] as const)("the tools in %s", (title, create) => {
  it("keep the cap, and tell the model so", async () => {
    const model = scripted(...[1, 2, 3].map((n) => () => ai(call(`c${n}`, `null.x${n}`))), "Done.");
    const end = await create(model, { maxTurns: 2 }).invoke({ messages: [human()] }, thread());
    expect(statuses(end)).toEqual(["TypeError", "TypeError", "TurnLimit"]);
    expectAnswered(end);
  });

  it("refuse one call too many and a program that has failed twice", async () => {
    const model = scripted(
      () => ai(call("a", "null.same"), call("b", "2"), call("c", "3")),
      () => ai(call("d", "null.same")),
      () => ai(call("e", "null.same")),
      "Done.",
    );
    const end = await create(model, { maxCallsPerTurn: 2 }).invoke({ messages: [human()] }, thread());
    expect(statuses(end)).toEqual(["TypeError", "ok", "TooManyCalls", "TypeError", "PolicyDenied"]);
  });

  it("ask before anything of the turn that asks has run, and run each approved program once", async () => {
    const sources = ["approve", "edit", "reject"].map((what) => `'ask to ${what}, ${title.replace("'", "")}'`);
    const edited = `'edited, ${title.replace("'", "")}'`;
    const model = scripted(() => ai(...sources.map((source, index) => call(`c${index}`, source))), "Done.");
    const loop = create(model, { policy: ASKS });
    const at = thread();
    let end = await loop.invoke({ messages: [human()] }, at);
    const decisions = new Map([
      ["c0", approve],
      ["c1", edit(edited)],
      ["c2", reject],
    ] as const);
    for (let question = 0; end.__interrupt__ !== undefined && question < 4; question++) {
      expect([...sources, edited].map(timesRun)).toEqual([0, 0, 0, 0]);
      const answers = end.__interrupt__.map(({ id, value }) => [
        id,
        { decisions: value.calls.map(({ callId }) => decisions.get(callId as "c0")) },
      ]);
      end = await loop.invoke(new Command({ resume: Object.fromEntries(answers) }), at);
    }
    expect(observations(end)).toMatchObject([
      { status: "ok", result: sources[0]?.slice(1, -1) },
      { status: "ok", result: edited.slice(1, -1) },
      { status: "denied", error: "ApprovalRejected" },
    ]);
    expect([...sources, edited].map(timesRun)).toEqual([1, 0, 0, 1]);
    expectAnswered(end);
  });
});
