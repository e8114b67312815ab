/**
 * A question that outlives its policy: an upgrade or a redeployment comes between it and the answer.
 * Nothing runs by an answer to the old question; the person is told in one sentence, and the run goes on or ends whole.
 */

import { MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { ASKING, KEY, questionOf, resume } from "./approval-rig.ts";
import { ai, call, createListener, expectAnswered, human, observations, statuses } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const APPROVE = { type: "approve" };
const executions = (part: string) => rig.executed.filter((source) => source.includes(part));
const withEffect = (effect: "allow" | "deny" | "ask", message: string) => ({
  ...ASKING,
  rules: ASKING.rules.map((rule) => (rule.id === "ask-first" ? { ...rule, effect, message } : rule)),
});

/** Asks under one deployment, and gives the thread to another one. */
async function redeploy(source: string, next: object, { before = {}, key }: { before?: object; key: boolean }) {
  const common = { sandbox: rig.sandbox, checkpointer: new MemorySaver(), ...(key ? { approvalKey: KEY } : {}) };
  const at = { configurable: { thread_id: crypto.randomUUID() } };
  const first = createCodeExecutionGraph({ ...common, policy: ASKING, ...before });
  const question = questionOf(await first.invoke({ messages: [human(), ai(call("a", source), call("b", "1"))] }, at));
  expect(question?.calls).toHaveLength(1);
  const graph = createCodeExecutionGraph({ ...common, policy: ASKING, ...before, ...next });
  return { at, graph, token: question?.token };
}

describe.each([
  ["with a key", true],
  ["without a key", false],
])("%s", (title, key) => {
  describe.each(["with its token", "without a token"])("an answer %s", (how) => {
    const name = `${title} ${how}`;
    const answer = (decision: object, token: string | undefined) =>
      resume({ decisions: [decision], ...(how === "with its token" ? { token } : {}) });

    it.each([
      ["other words", { policy: withEffect("ask", "In other words.") }],
      ["other limits", { limits: { timeoutMs: 500 } }],
      ["another input", { input: [1, 2, 3] }],
    ])("is none where the question stands on %s now: it is put again, and answered again", async (what, next) => {
      const source = `ask; 'changed ${name} ${what}'`;
      const { at, graph, token } = await redeploy(source, next, { key });
      const again = questionOf(await graph.invoke(answer(APPROVE, token), at));
      expect(again?.problem).toContain("changed after this was asked");
      expect(executions(source)).toEqual([]);
      expect((await graph.getState(at)).next).toEqual(["approve"]);
      const end = await graph.invoke(resume({ decisions: [APPROVE], token: again?.token }), at);
      expectAnswered(end);
      expect(executions(source)).toEqual([source]);
    });

    it("is none where the policy denies now: every call is answered, and it is said why", async () => {
      const source = `ask; 'denied ${name}'`;
      const { at, graph, token } = await redeploy(source, { policy: withEffect("deny", "No longer.") }, { key });
      const end = await graph.invoke(answer(APPROVE, token), at);
      expectAnswered(end);
      expect(statuses(end)).toEqual(["PolicyDenied", "ok"]);
      expect(observations(end)[0]?.message).toMatch(/^The policy changed while a person was asked .* No longer\.$/);
      expect(executions(source)).toEqual([]);
    });

    it("still decides where the policy would allow now: a rejected program does not run", async () => {
      const source = `ask; 'allowed ${name}'`;
      const { at, graph, token } = await redeploy(source, { policy: withEffect("allow", "Allowed.") }, { key });
      const again = questionOf(await graph.invoke(answer({ type: "reject", message: "No." }, token), at));
      expect(again?.problem).toContain("changed after this was asked");
      expect(executions(source)).toEqual([]);
      const end = await graph.invoke(resume({ decisions: [{ type: "reject" }], token: again?.token }), at);
      expectAnswered(end);
      expect(statuses(end)).toEqual(["ApprovalRejected", "ok"]);
      expect(executions(source)).toEqual([]);
    });
  });

  it("another preset counts as another policy", async () => {
    const source = `return eval("'preset ${title}'")`;
    const before = { policy: "standard", ask: ["dynamicCode"] };
    const { at, graph, token } = await redeploy(source, { policy: "strict", ask: [] }, { before, key });
    const end = await graph.invoke(resume({ decisions: [APPROVE], token }), at);
    expectAnswered(end);
    expect(statuses(end)).toEqual(["PolicyDenied", "ok"]);
    expect(executions(source)).toEqual([]);
  });
});
