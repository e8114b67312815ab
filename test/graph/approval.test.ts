/**
 * Approval through the real graph: one question a turn, each call by its own answer, and nothing by an answer that is wrong.
 * Programs are executed by the real sandbox; `executed` holds each that was handed to it.
 */

import { MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import type { ApprovalRequest } from "../../src/policy/approval.ts";
import { ASKING, KEY, questionOf, resume } from "./approval-rig.ts";
import { ai, aiMessages, call, createListener, expectAnswered, human, observations, statuses, TOOL } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const config = () => ({ configurable: { thread_id: crypto.randomUUID() } });
const graph = (options: object = {}) =>
  createCodeExecutionGraph({
    sandbox: rig.sandbox,
    policy: ASKING,
    checkpointer: new MemorySaver(),
    approvalKey: KEY,
    ...options,
  });
const answer = (...decisions: object[]) => resume({ decisions });
const APPROVE = { type: "approve" };
const edit = (source: unknown, name = TOOL) => ({ type: "edit", editedAction: { name, args: { source } } });
const reject = (message: string) => ({ type: "reject", message });
const executions = (part: string) => rig.executed.filter((source) => source.includes(part));

describe("a turn that asks", () => {
  it("interrupts once for all its calls, and runs nothing before the answer", async () => {
    const made = graph();
    const at = config();
    const waiting = await made.invoke(
      { messages: [human(), ai(call("a", "1"), call("b", "ask('once b')"), call("c", "ask('once c')"))] },
      at,
    );
    const question = questionOf(waiting);
    expect(question).toMatchObject({
      actionRequests: [
        { name: TOOL, args: { source: "ask('once b')" } },
        { name: TOOL, args: { source: "ask('once c')" } },
      ],
      reviewConfigs: [{ actionName: TOOL, allowedDecisions: ["approve", "edit", "reject"] }, { actionName: TOOL }],
      calls: [
        {
          callId: "b",
          reasons: [{ rule: "ask-first" }],
          manifest: { globals: ["ask"] },
          sourceSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        { callId: "c" },
      ],
      token: expect.any(String),
      tamperEvident: true,
    });
    expect(executions("once")).toEqual([]);
    const end = await made.invoke(answer(APPROVE, APPROVE), at);
    expect(statuses(end)).toEqual(["ok", "ReferenceError", "ReferenceError"]);
    expect(executions("once")).toEqual(["ask('once b')", "ask('once c')"]);
    expectAnswered(end);
  });

  it("takes approve, edit and reject in one resume, each for its own call", async () => {
    const made = graph();
    const at = config();
    await made.invoke(
      {
        messages: [human(), ai(call("a", "ask; 'three a'"), call("b", "ask; 'three b'"), call("c", "ask; 'three c'"))],
      },
      at,
    );
    const end = await made.invoke(answer(APPROVE, edit("'three edited'"), reject("Not today.")), at);
    expect(statuses(end)).toEqual(["ReferenceError", "ok", "ApprovalRejected"]);
    expect(observations(end)[2]?.message).toContain("Not today.");
    expect(executions("three")).toEqual(["ask; 'three a'", "'three edited'"]);
    expect(aiMessages(end)[0]?.tool_calls?.map(({ args }) => args.source)).toEqual([
      "ask; 'three a'",
      "'three edited'",
      "ask; 'three c'",
    ]);
    expect(end.receipts?.map(({ approval }) => approval)).toEqual([
      { answer: "approve", approver: "unverified", tamperEvident: true },
      { answer: "edit", approver: "unverified", tamperEvident: true },
      { answer: "reject", approver: "unverified", tamperEvident: true },
    ]);
    expectAnswered(end);
  });

  it("decides an edit again: it may be denied, and it may ask again", async () => {
    const made = graph();
    const at = config();
    await made.invoke({ messages: [ai(call("a", "ask; 'again a'"), call("b", "ask; 'again b'"))] }, at);
    const second = await made.invoke(answer(edit("forbidden; 'again'"), edit("ask; 'again edited'")), at);
    expect(questionOf(second)?.calls).toMatchObject([{ callId: "b", edited: true }]);
    expect(executions("again")).toEqual([]);
    const end = await made.invoke(answer(APPROVE), at);
    expect(statuses(end)).toEqual(["PolicyDenied", "ReferenceError"]);
    expect(executions("again")).toEqual(["ask; 'again edited'"]);
  });
});

describe("an answer that was taken", () => {
  it.each(["continued", "answered with the same words"])(
    "is not taken for the question after it, where the run is merely %s",
    async (how) => {
      const made = graph();
      const at = config();
      await made.invoke({ messages: [ai(call("a", `ask; '${how}'`))] }, at);
      await made.invoke(answer(edit("ask; 'again 2'")), at);
      const before = executions("again 2").length;
      const next = how === "continued" ? null : answer(edit("ask; 'again 2'"));
      const still = await made.invoke(next, at);
      expect(questionOf(still)?.calls).toMatchObject([{ edited: true }]);
      expect(executions("again 2")).toHaveLength(before);
      const end = await made.invoke(answer(APPROVE), at);
      expect(statuses(end)).toEqual(["ReferenceError"]);
      expect(executions("again 2")).toHaveLength(before + 1);
    },
  );
});

describe("a wrong answer", () => {
  const WRONG: [string, unknown][] = [
    ["a string", "yes"],
    ["true", true],
    ["an empty object", {}],
    ["a lone decision", APPROVE],
    ["unknown keys", { decisions: [{ ...APPROVE, limits: { timeoutMs: 1e9 } }] }],
    ["a __proto__ key", JSON.parse('{"decisions":[{"type":"reject","__proto__":{"type":"approve"}}]}')],
    ["too few decisions", { decisions: [] }],
    ["too many decisions", { decisions: [APPROVE, APPROVE] }],
    ["a list with a hole", { decisions: new Array(1) }],
    ["another token", { decisions: [APPROVE], token: "x".repeat(43) }],
    ["a token that is no text", { decisions: [APPROVE], token: null }],
    ["an unknown type", { decisions: [{ type: "accept" }] }],
    ["an edit whose source is a number", { decisions: [edit(5)] }],
    ["an edit that is too long", { decisions: [edit("1".repeat(5000))] }],
    ["an edit for another tool", { decisions: [edit("1", "run_shell")] }],
    ["an edit that is empty", { decisions: [edit("")] }],
    ["a rejection whose message is no text", { decisions: [{ type: "reject", message: 5 }] }],
  ];

  it.each(WRONG)("that is %s approves nothing and leaves the run resumable", async (title, wrong) => {
    const made = graph();
    const at = config();
    const source = `ask; ${JSON.stringify(title)}`;
    await made.invoke({ messages: [human(), ai(call("a", source))] }, at);
    const still = await made.invoke(resume(wrong), at);
    expect(questionOf(still)?.problem).toEqual(expect.any(String));
    expect(executions(JSON.stringify(title))).toEqual([]);
    const end = await made.invoke(answer(APPROVE), at);
    expect(statuses(end)).toEqual(["ReferenceError"]);
    expect(executions(JSON.stringify(title))).toEqual([source]);
  });

  it.each([undefined, null])(
    "that is %s is LangGraph's documented fault, and leaves the run resumable",
    async (none) => {
      const made = graph();
      const at = config();
      await made.invoke({ messages: [human(), ai(call("a", `ask; 'none ${none}'`))] }, at);
      await expect(made.invoke(resume(none), at)).rejects.toMatchObject({ name: "EmptyInputError" });
      expect((await made.getState(at)).next).toEqual(["approve"]);
      expect(executions(`none ${none}`)).toEqual([]);
      expect(statuses(await made.invoke(answer(APPROVE), at))).toEqual(["ReferenceError"]);
    },
  );

  it("of an earlier question approves nothing", async () => {
    const made = graph();
    const at = config();
    const first = await made.invoke({ messages: [human(), ai(call("a", "ask; 'stale 1'"))] }, at);
    const { token } = questionOf(first) as ApprovalRequest;
    await made.invoke(resume({ decisions: [APPROVE], token }), at);
    await made.invoke({ messages: [human(), ai(call("a", "ask; 'stale 1'"))] }, at);
    const still = await made.invoke(resume({ decisions: [APPROVE], token }), at);
    expect(questionOf(still)?.problem).toContain("token");
    expect(executions("stale 1")).toHaveLength(1);
  });

  it("is one that comes a second time: the program runs once", async () => {
    const made = graph();
    const at = config();
    await made.invoke({ messages: [human(), ai(call("a", "ask; 'twice'"))] }, at);
    await made.invoke(answer(APPROVE), at);
    await made.invoke(answer(APPROVE), at).catch(() => {});
    expect(executions("twice")).toHaveLength(1);
  });
});

describe("without anybody to ask", () => {
  it("a call that asks is denied", async () => {
    const made = createCodeExecutionGraph({ sandbox: rig.sandbox, policy: ASKING });
    const end = await made.invoke({ messages: [human(), ai(call("a", "ask; 'nobody'"))] });
    expect(statuses(end)).toEqual(["PolicyDenied"]);
    expect(executions("nobody")).toEqual([]);
  });
});

describe("standard with ask: dynamicCode", () => {
  it("asks about eval, runs it once approved, and leaves no eval to what nobody was asked about", async () => {
    const made = graph({ policy: "standard", ask: ["dynamicCode"] });
    const at = config();
    const waiting = await made.invoke(
      { messages: [human(), ai(call("a", "return eval('6 * 7')"), call("b", "return typeof globalThis.eval"))] },
      at,
    );
    expect(questionOf(waiting)?.calls).toMatchObject([{ callId: "a", manifest: { dynamicCode: ["eval"] } }]);
    const end = await made.invoke(answer(APPROVE), at);
    expect(observations(end).map(({ result }) => result)).toEqual([42, "undefined"]);
  });
});
