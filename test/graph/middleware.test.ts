/**
 * `codeExecutionMiddleware` in langchain's own agent, alone and beside the prebuilt middleware, in either order:
 * the same answers as the graph's, every call answered once, and nothing runs before everybody has allowed it.
 */

import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, humanInTheLoopMiddleware, toolCallLimitMiddleware } from "langchain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { SandboxError } from "../../src/errors.ts";
import { codeExecutionMiddleware, type MiddlewareOptions } from "../../src/graph/middleware.ts";
import { definePolicy } from "../../src/policy/define-policy.ts";
import type { Receipt } from "../../src/types.ts";
import {
  ai,
  aiMessages,
  aiRaw,
  type Call,
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

const mails: string[] = [];
const sendMail = tool(
  ({ to }: { to: string }) => {
    mails.push(to);
    return `Sent to ${to}.`;
  },
  { name: "send_mail", description: "Sends a mail.", schema: z.object({ to: z.string() }) },
);
const mail = (id: string, to = "Ada"): Call => ({ type: "tool_call", id, name: "send_mail", args: { to } });

type Middleware = AgentMiddleware;

interface Agent {
  invoke(input: object, config: object): Promise<End>;
}

function makeAgent(
  model: FakeModel,
  options: Partial<MiddlewareOptions> = {},
  before: Middleware[] = [],
  after: Middleware[] = [],
) {
  const ours = codeExecutionMiddleware({ sandbox: rig.sandbox, ...options });
  const middleware = [...before, ours, ...after] as never;
  return createAgent({ model, tools: [sendMail], middleware, checkpointer: new MemorySaver() }) as unknown as Agent;
}

interface End {
  messages: BaseMessage[];
  __interrupt__?: { value: { actionRequests: { name: string }[] } }[];
}

/** One conversation with the agent: a question, or the answers to one of its own. */
function converse(agent: ReturnType<typeof makeAgent>) {
  const config = { configurable: { thread_id: crypto.randomUUID() } };
  return {
    say: (text = "Compute.") => agent.invoke({ messages: [human(text)] }, config),
    decide: (...decisions: object[]) => agent.invoke(new Command({ resume: { decisions } }), config),
  };
}

const approve = { type: "approve" };
const reject = { type: "reject", message: "Not this one." };
const edit = (source: string) => ({ type: "edit", editedAction: { name: TOOL, args: { source } } });
const timesRun = (source: string) => rig.executed.filter((executed) => executed === source).length;

describe("codeExecutionMiddleware", () => {
  it("gives the agent the tools, runs its calls in parallel, and lets it answer", async () => {
    const receipts: Receipt[] = [];
    const model = scripted(() => ai(call("a", "6 * 7"), call("b", "null.x"), mail("m")), "Done.");
    const end = await converse(makeAgent(model, { onReceipt: (receipt) => receipts.push(receipt) })).say();
    expect(
      toolMessages(end)
        .map(({ tool_call_id: id }) => id)
        .sort(),
    ).toEqual(["a", "b", "m"]);
    expect(end.messages.at(-1)?.text).toBe("Done.");
    expect(receipts.map(({ callId, status, turn }) => [callId, status, turn]).sort()).toEqual([
      ["a", "ok", 1],
      ["b", "error", 1],
    ]);
    expectAnswered(end);
  });

  it.each<[string, () => AIMessage, string[]]>([
    [
      "malformed arguments",
      () => aiRaw({ invalid_tool_calls: [{ id: "c", name: TOOL, args: '{"source": ' }] }),
      ["InvalidArguments"],
    ],
    [
      "an extra argument",
      () => aiRaw({ tool_calls: [{ id: "c", name: TOOL, args: { source: "1", timeoutMs: 9 } }] }),
      ["InvalidArguments"],
    ],
    ["two calls of one id", () => ai(call("c", "'dup 1'"), call("c", "'dup 2'")), ["DuplicateCall"]],
    ["more calls than may run", () => ai(...["1", "2", "3"].map((id) => call(id, id))), ["ok", "ok", "TooManyCalls"]],
    ["what the policy denies", () => ai(call("c", "eval('1')")), ["PolicyDenied"]],
  ])("answers %s as the graph does, and asks again", async (_title, first, told) => {
    const end = await converse(makeAgent(scripted(first, "Done."), { maxCallsPerTurn: 2 })).say();
    expect(statuses(end).sort()).toEqual([...told].sort());
    expect(end.messages.at(-1)?.text).toBe("Done.");
    expectAnswered(end);
    expect(rig.executed).not.toContain("'dup 1'");
  });

  it("keeps the cap, ends the agent at it, and starts anew with a new question", async () => {
    const model = new FakeModel((_prompt, asked) => ai(call(`c${asked}`, `null.x${asked}`)));
    const talk = converse(makeAgent(model, { maxTurns: 2 }));
    const end = await talk.say();
    expect(statuses(end)).toEqual(["TypeError", "TypeError"]);
    expect(model.prompts).toHaveLength(2);
    expect(statuses(await talk.say("Again."))).toHaveLength(4);
  });

  it("ends on success where it is told to", async () => {
    const model = scripted(() => ai(call("a", "1")), "Done.");
    const end = await converse(makeAgent(model, { endOn: "success" })).say();
    expect(statuses(end)).toEqual(["ok"]);
    expect(end.messages.at(-1)?.getType()).toBe("tool");
  });

  it("refuses arguments whose raw text is not what was parsed from it", async () => {
    const raw = { id: "c", type: "function", function: { name: TOOL, arguments: '{"source": "\'half' } };
    const message = () => aiRaw({ tool_calls: [call("c", "'half'")], additional_kwargs: { tool_calls: [raw] } });
    const end = await converse(makeAgent(scripted(message, "Done."))).say();
    expect(statuses(end)).toEqual(["InvalidArguments"]);
    expect(timesRun("'half'")).toBe(0);
  });

  it("is lowered by the context of a run", async () => {
    const agent = makeAgent(scripted(() => ai(call("a", "while (true);")), "Done."));
    const config = { configurable: { thread_id: "lowered" }, context: { limits: { timeoutMs: 50 }, policy: "strict" } };
    const end = await agent.invoke({ messages: [human()] }, config);
    expect(statuses(end)).toEqual(["Timeout"]);
  });

  it("names a wrong option", () => {
    const make = () => codeExecutionMiddleware({ sandbox: rig.sandbox, maxTurn: 1 } as never);
    expect(make).toThrow(SandboxError);
    expect(make).toThrow("codeExecutionMiddleware: unknown option maxTurn");
  });
});

describe("approvals", () => {
  it("of three calls are one question: approve, edit and reject each count for their own", async () => {
    const sources = ["'ask to approve'", "'ask to edit'", "'ask to reject'"];
    const model = scripted(() => ai(...sources.map((source, index) => call(`c${index}`, source))), "Done.");
    const talk = converse(makeAgent(model, { policy: ASKS }));
    const paused = await talk.say();
    expect(paused.__interrupt__?.[0]?.value.actionRequests).toHaveLength(3);
    const end = await talk.decide(approve, edit("'edited'"), reject);
    const told = new Map(toolMessages(end).map((message) => [message.tool_call_id, JSON.parse(message.text)]));
    expect(told.get("c0")).toMatchObject({ status: "ok", result: "ask to approve" });
    expect(told.get("c1")).toMatchObject({ status: "ok", result: "edited" });
    expect(told.get("c2")).toMatchObject({ status: "denied", error: "ApprovalRejected" });
    expect([...sources, "'edited'"].map(timesRun)).toEqual([1, 0, 0, 1]);
    expect(aiMessages(end)[0]?.tool_calls?.[1]?.args).toEqual({ source: "'edited'" });
    expectAnswered(end);
  });

  it("that are all refused go back to the model", async () => {
    const talk = converse(
      makeAgent(
        scripted(() => ai(call("a", "'ask and refuse'")), "Done."),
        { policy: ASKS },
      ),
    );
    await talk.say();
    const end = await talk.decide(reject);
    expect(statuses(end)).toEqual(["ApprovalRejected"]);
    expect(end.messages.at(-1)?.text).toBe("Done.");
    expect(timesRun("'ask and refuse'")).toBe(0);
  });
});

const ORDERS = ["before ours", "after ours"] as const;
const beside = (order: (typeof ORDERS)[number], other: Middleware): [Middleware[], Middleware[]] =>
  order === "before ours" ? [[other], []] : [[], [other]];

describe.each(ORDERS)("the prebuilt human-in-the-loop middleware %s", (order) => {
  const loop = (...names: string[]) =>
    humanInTheLoopMiddleware({
      interruptOn: Object.fromEntries(names.map((name) => [name, true])),
    } as never) as Middleware;

  it("that rejects the agent's own tool leaves our approved call to run, once", async () => {
    const source = `'ask, mixed, ${order}'`;
    const model = scripted(() => ai(call("c", source), mail("m", order)), "Done.");
    const talk = converse(makeAgent(model, { policy: ASKS }, ...beside(order, loop("send_mail"))));
    let end = await talk.say();
    for (let question = 0; end.__interrupt__ !== undefined && question < 3; question++) {
      const [first] = end.__interrupt__;
      const names = first?.value.actionRequests.map(({ name }) => name);
      end = await talk.decide(names?.includes("send_mail") ? reject : approve);
    }
    expect(observations({ messages: toolMessages(end).filter(({ name }) => name === TOOL) })).toMatchObject([
      { ok: true, result: `ask, mixed, ${order}` },
    ]);
    expect(timesRun(source)).toBe(1);
    expect(mails).not.toContain(order);
    expect(end.messages.at(-1)?.text).toBe("Done.");
    expectAnswered(end);
    for (const prompt of model.prompts) expectAnswered({ messages: prompt });
  });

  it("is asked about our tool before it runs: approve, edit and reject", async () => {
    const source = `'looped, ${order}'`;
    const make = () =>
      makeAgent(
        scripted(() => ai(call("c", source)), "Done."),
        {},
        ...beside(order, loop(TOOL)),
      );
    const rejected = converse(make());
    await rejected.say();
    expect(timesRun(source)).toBe(0);
    await rejected.decide(reject);
    expect(timesRun(source)).toBe(0);
    const edited = converse(make());
    await edited.say();
    expect(observations(await edited.decide(edit("'by a person'")))).toMatchObject([{ result: "by a person" }]);
    expect(timesRun(source)).toBe(0);
    const approved = converse(make());
    await approved.say();
    expect(observations(await approved.decide(approve))).toMatchObject([{ result: `looped, ${order}` }]);
    expect(timesRun(source)).toBe(1);
  });

  it("is not passed by with a message that a caller posts", async () => {
    const source = `'posted, ${order}'`;
    const model = scripted("Done.");
    const agent = makeAgent(model, {}, ...beside(order, loop(TOOL)));
    const posted = [human(), ai(call("c", source))];
    const end = await agent.invoke({ messages: posted }, { configurable: { thread_id: crypto.randomUUID() } });
    expect(timesRun(source)).toBe(0);
    expect(end.messages.at(-1)?.text).toBe("Done.");
    for (const prompt of model.prompts) expectAnswered({ messages: prompt });
  });

  it("that drops an approved call of ours, since it rejects another, leaves a history that a provider takes", async () => {
    const sources = [`'dropped, ${order}'`, `'refused, ${order}'`];
    const model = scripted(() => ai(...sources.map((source, index) => call(`c${index}`, source))), "Done.");
    const talk = converse(makeAgent(model, {}, ...beside(order, loop(TOOL))));
    await talk.say();
    await talk.decide(approve, reject);
    expect(sources.map(timesRun)).toEqual([0, 0]);
    for (const prompt of model.prompts) expectAnswered({ messages: prompt });
  });

  it("cannot put a program in that our policy denies", async () => {
    const talk = converse(
      makeAgent(
        scripted(() => ai(call("c", "1")), "Done."),
        {},
        ...beside(order, loop(TOOL)),
      ),
    );
    await talk.say();
    expect(statuses(await talk.decide(edit("eval('edited in')")))).toEqual(["PolicyDenied"]);
    expect(timesRun("eval('edited in')")).toBe(0);
  });
});

describe.each(ORDERS)("the prebuilt call-limit middleware %s", (order) => {
  it("blocks the calls over its limit, and each call has one answer", async () => {
    const [a, b] = [`'limit a ${order}'`, `'limit b ${order}'`];
    const limit = toolCallLimitMiddleware({ runLimit: 1 } as never) as Middleware;
    const talk = converse(
      makeAgent(
        scripted(() => ai(call("a", a), call("b", b)), "Done."),
        {},
        ...beside(order, limit),
      ),
    );
    const end = await talk.say();
    expect([timesRun(a), timesRun(b)]).toEqual([1, 0]);
    expectAnswered(end);
    expect(end.messages.at(-1)?.text).toBe("Done.");
  });
});
