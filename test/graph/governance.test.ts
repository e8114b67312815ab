/**
 * What a policy document holds a thread to, through the real graph: budgets, dryRun, and a question that is left waiting.
 */

import { MemorySaver } from "@langchain/langgraph";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { ASKING, KEY, questionOf, resume } from "./approval-rig.ts";
import { ai, call, createListener, expectAnswered, human, scripted, statuses } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const at = () => ({ configurable: { thread_id: crypto.randomUUID() } });
const withRules = (...rules: object[]) => ({ ...ASKING, name: "mine", rules: [...rules, ...ASKING.rules.slice(2)] });
const graphOf = (options: object) =>
  createCodeExecutionGraph({ sandbox: rig.sandbox, checkpointer: new MemorySaver(), ...options });

describe("a budget of runs", () => {
  const policy = withRules({ id: "runs", effect: "deny", when: { threadRuns: { over: 2 } }, message: "No more." });

  it("holds over the questions of a thread, and not over another thread", async () => {
    const graph = graphOf({ policy });
    const thread = at();
    for (const id of ["a", "b"]) await graph.invoke({ messages: [human(), ai(call(id, "1"))] }, thread);
    const end = await graph.invoke({ messages: [human(), ai(call("c", "1"))] }, thread);
    expect(statuses(end)).toEqual(["ok", "ok", "PolicyDenied"]);
    expect(statuses(await graph.invoke({ messages: [human(), ai(call("a", "1"))] }, at()))).toEqual(["ok"]);
  });

  it("counts the calls of one turn, and none that never ran", async () => {
    const graph = graphOf({ policy });
    const end = await graph.invoke({ messages: [ai(call("a", "1"), call("b", "2"), call("c", "3"))] }, at());
    expect(statuses(end)).toEqual(["ok", "ok", "PolicyDenied"]);
    const thread = at();
    await graph.invoke({ messages: [human(), ai(call("a", ""), call("b", "1", "other"))] }, thread);
    const next = await graph.invoke({ messages: [human(), ai(call("c", "1"), call("d", "2"))] }, thread);
    expect(statuses(next).slice(2)).toEqual(["ok", "ok"]);
  });

  it("is not given back by a caller who writes the private state", async () => {
    const graph = graphOf({ policy });
    const thread = at();
    await graph.invoke({ messages: [human(), ai(call("a", "1"), call("b", "2"))] }, thread);
    await graph.updateState(thread, { spent: { runs: 0, timeMs: 0 }, receipts: [] }).catch(() => {});
    const end = await graph.invoke({ messages: [human(), ai(call("c", "1"))] }, thread);
    expect(statuses(end).at(-1)).toBe("PolicyDenied");
  });
});

it("a budget of time is used up by what the runs took", async () => {
  const policy = withRules({ id: "time", effect: "deny", when: { threadMs: { over: 50 } }, message: "No more time." });
  const graph = graphOf({ policy });
  const thread = at();
  const busy = "const end = performance.now(); let n = 0; for (let i = 0; i < 1e8; i++) n += i; return n";
  await graph.invoke({ messages: [human(), ai(call("a", busy))] }, thread);
  expect(statuses(await graph.invoke({ messages: [human(), ai(call("b", "1"))] }, thread)).at(-1)).toBe("PolicyDenied");
});

it("dryRun runs what would be denied or asked about, and its receipt says so", async () => {
  const graph = graphOf({ policy: { ...ASKING, dryRun: true } });
  const end = await graph.invoke({ messages: [ai(call("a", "forbidden"), call("b", "ask"), call("c", "1"))] }, at());
  expect(statuses(end)).toEqual(["ReferenceError", "ReferenceError", "ok"]);
  expect(end.receipts).toMatchObject([
    { decision: "allow", wouldBe: "deny", rules: ["forbidden"] },
    { decision: "allow", wouldBe: "ask", rules: ["ask-first"] },
    { decision: "allow", wouldBe: "allow" },
  ]);
});

describe("a clock of the host that jumps by an hour", () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([3_600_000, -3_600_000])("(%i ms) ends no program early, and no endless one late", async (jump) => {
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, policy: "allow-all", limits: { timeoutMs: 1000 } });
    const real = Date.now;
    let reads = 0;
    vi.spyOn(Date, "now").mockImplementation(() => real() + (reads++ % 2) * jump);
    const started = performance.now();
    const calls = ai(call("a", "6 * 7"), call("b", `for (;;); // ${jump}`));
    const end = await graph.invoke({ messages: [human(), calls] });
    expect(statuses(end)).toEqual(["ok", "Timeout"]);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(reads).toBeGreaterThan(0);
  });
});

describe("a question that waits", () => {
  it("is left behind by a new question, and its call is never run", async () => {
    const graph = graphOf({ policy: ASKING, approvalKey: KEY });
    const thread = at();
    await graph.invoke({ messages: [human(), ai(call("a", "ask; 'left'"))] }, thread);
    const next = await graph.invoke({ messages: [human(), ai(call("b", "'right'"))] }, thread);
    expect(questionOf(next)).toBeUndefined();
    expect(rig.executed.filter((source) => /'left'/.test(source))).toEqual([]);
  });

  it("survives an answer that is aborted, and can still be answered", async () => {
    const graph = graphOf({ policy: ASKING, approvalKey: KEY });
    const thread = at();
    await graph.invoke({ messages: [human(), ai(call("a", "ask; 'aborted'"))] }, thread);
    const answer = resume({ decisions: [{ type: "approve" }] });
    await expect(graph.invoke(answer, { ...thread, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(rig.executed.filter((source) => /'aborted'/.test(source))).toEqual([]);
    expect(statuses(await graph.invoke(answer, thread))).toEqual(["ReferenceError"]);
  });

  it("of an agent goes on to the model once it is answered, also where it was rejected", async () => {
    const model = scripted(() => ai(call("a", "ask; 'agent'")), "I will not, then.");
    const graph = graphOf({ policy: ASKING, approvalKey: KEY, model, endOn: "answer", tellRules: true });
    const thread = at();
    const waiting = await graph.invoke({ messages: [human()] }, thread);
    expect(questionOf(waiting)?.calls).toHaveLength(1);
    const end = await graph.invoke(resume({ decisions: [{ type: "reject", message: "No." }] }), thread);
    expect(end.outcome?.kind).toBe("answer");
    expect(statuses(end)).toEqual(["ApprovalRejected"]);
    expect(model.prompts[0]?.[0]?.text).toContain("a person approves");
    expectAnswered(end);
  });
});
