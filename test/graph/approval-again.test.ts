/**
 * A question that is put again: the wait is the graph's own, seen in its state, however often it is answered in vain,
 * however deep the graph stands in others, and however few steps a resume allows.
 */

import {
  Command,
  type Interrupt,
  MemorySaver,
  MessagesValue,
  Send,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import type { ApprovalRequest } from "../../src/policy/approval.ts";
import { ASKING, KEY, questionOf, resume } from "./approval-rig.ts";
import { ai, call, createListener, expectAnswered, human, statuses, TOOL } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const State = new StateSchema({ messages: MessagesValue });
type Graph = ReturnType<typeof createCodeExecutionGraph>;

/** The executor with so many graphs around it; the outermost has the checkpointer. */
function nest(levels: number, isOutermost = true): Graph {
  const saver = isOutermost ? { checkpointer: new MemorySaver() } : {};
  if (levels === 0)
    return createCodeExecutionGraph({ sandbox: rig.sandbox, policy: ASKING, approvalKey: KEY, ...saver });
  const inner = nest(levels - 1, false);
  return new StateGraph(State).addNode("inner", inner).addEdge(START, "inner").compile(saver) as unknown as Graph;
}

const config = () => ({ configurable: { thread_id: crypto.randomUUID() } });
const APPROVE = { type: "approve" };
const answer = (...decisions: object[]) => resume({ decisions });
const edit = (source: string) => ({ type: "edit", editedAction: { name: TOOL, args: { source } } });
const executions = (part: string) => rig.executed.filter((source) => source.includes(part));

/** What waits, as somebody sees it who looks at the thread. */
async function look(graph: Graph, at: object) {
  let state = await graph.getState(at, { subgraphs: true });
  const path: string[] = [];
  for (;;) {
    path.push(...state.next);
    const inner = state.tasks[0]?.state;
    if (inner === undefined || !("tasks" in inner)) break;
    state = inner;
  }
  const questions = state.tasks.flatMap(({ interrupts }) => (interrupts ?? []) as Interrupt<ApprovalRequest>[]);
  return { path, questions: questions.map(({ value }) => value) };
}

describe.each([0, 1, 2])("%i levels deep", (levels) => {
  const path = [...Array(levels).fill("inner"), "approve"];

  it("the wait is seen in the state, with why the last answer was not taken", async () => {
    const graph = nest(levels);
    const at = config();
    await graph.invoke({ messages: [human(), ai(call("a", `ask; 'seen ${levels}'`))] }, at);
    expect(await look(graph, at)).toMatchObject({ path, questions: [{ calls: [{ callId: "a" }] }] });
    for (const wrong of ["yes", { decisions: [] }, { decisions: [APPROVE], token: "x" }, "yes"]) {
      await graph.invoke(resume(wrong), at);
      const { path: now, questions } = await look(graph, at);
      expect(now).toEqual(path);
      expect(questions).toMatchObject([{ calls: [{ callId: "a" }], problem: expect.any(String) }]);
    }
    expect(executions(`seen ${levels}`)).toEqual([]);
    const end = await graph.invoke(answer(APPROVE), at);
    expect(statuses(end)).toEqual(["ReferenceError"]);
    expect(executions(`seen ${levels}`)).toHaveLength(1);
    expect((await graph.getState(at)).next).toEqual([]);
  });

  it("fifty useless answers in a row change nothing, and the right one counts", { timeout: 60_000 }, async () => {
    const graph = nest(levels);
    const at = config();
    const source = `ask; 'fifty ${levels}'`;
    await graph.invoke({ messages: [human(), ai(call("a", source))] }, at);
    for (let times = 0; times < 50; times++) {
      expect(questionOf(await graph.invoke(resume({ decisions: [] }), at))?.problem).toContain("Expected 1");
    }
    expectAnswered(await graph.invoke(answer(APPROVE), at));
    expect(executions(`fifty ${levels}`)).toEqual([source]);
  });

  it("what was answered stays answered where the next question is about the rest", async () => {
    const graph = nest(levels);
    const at = config();
    const sources = ["first", "second", "third"].map((name) => `ask; '${name} ${levels}'`);
    await graph.invoke({ messages: [human(), ai(...sources.map((source, index) => call(`c${index}`, source)))] }, at);
    const rest = await graph.invoke(answer(APPROVE, edit(`ask; 'edited ${levels}'`), { type: "reject" }), at);
    expect(questionOf(rest)?.calls).toMatchObject([{ callId: "c1", edited: true }]);
    await graph.invoke(resume("nonsense"), at);
    const end = await graph.invoke(answer(APPROVE), at);
    expect(statuses(end)).toEqual(["ReferenceError", "ReferenceError", "ApprovalRejected"]);
    expect(rig.executed.filter((source) => source.endsWith(` ${levels}'`)).slice(-2)).toEqual([
      sources[0],
      `ask; 'edited ${levels}'`,
    ]);
  });

  it("an answer that was taken is none to the next question, where the run is merely continued", async () => {
    const graph = nest(levels);
    const at = config();
    const edited = `ask; 'continued ${levels}'`;
    await graph.invoke({ messages: [human(), ai(call("a", "ask; 'before'"))] }, at);
    await graph.invoke(answer(edit(edited)), at);
    for (let times = 0; times < 3; times++) await graph.invoke(null, at);
    expect(executions(`continued ${levels}`)).toEqual([]);
    expect((await look(graph, at)).path).toEqual(path);
    await graph.invoke(answer(APPROVE), at);
    expect(executions(`continued ${levels}`)).toEqual([edited]);
  });
});

describe("a resume with few steps", () => {
  it.each([4, 5, 6])(
    "of %i puts the question again, and runs what is approved with as many",
    async (recursionLimit) => {
      const graph = nest(0);
      const at = config();
      const few = { ...at, recursionLimit };
      await graph.invoke({ messages: [human(), ai(call("a", `ask; 'few ${recursionLimit}'`))] }, at);
      for (let times = 0; times < 3; times++) {
        expect(questionOf(await graph.invoke(resume("no"), few))?.problem).toEqual(expect.any(String));
      }
      const end = await graph.invoke(answer(APPROVE), few);
      expectAnswered(end);
      expect(statuses(end)).toEqual(["ReferenceError"]);
    },
  );

  it("of 3 has no room to run anything: every call is answered", async () => {
    const graph = nest(0);
    const at = config();
    await graph.invoke({ messages: [human(), ai(call("a", "ask; 'no room'"))] }, at);
    const end = await graph.invoke(answer(APPROVE), { ...at, recursionLimit: 3 });
    expectAnswered(end);
    expect(statuses(end)).toEqual(["TurnLimit"]);
    expect(executions("no room")).toEqual([]);
  });
});

describe("several questions at once", () => {
  it("are answered in one resume, each by its own id", async () => {
    const code = createCodeExecutionGraph({ sandbox: rig.sandbox, policy: ASKING, approvalKey: KEY });
    const names = ["left", "middle", "right"];
    const parent = new StateGraph(State)
      .addNode("code", code)
      .addConditionalEdges(START, () =>
        names.map((name) => new Send("code", { messages: [human(), ai(call(name, `ask; '${name} at once'`))] })),
      )
      .compile({ checkpointer: new MemorySaver() });
    const at = config();
    await parent.invoke({ messages: [] }, at);
    const waiting = async () => {
      const { tasks } = await parent.getState(at);
      const all = tasks.flatMap(({ interrupts }) => (interrupts ?? []) as Interrupt<ApprovalRequest>[]);
      return new Map(all.map(({ id, value }) => [value?.calls[0]?.callId ?? "", id ?? ""]));
    };
    const answerAll = async (answers: Record<string, unknown>) => {
      const ids = await waiting();
      const byId = Object.fromEntries(Object.entries(answers).map(([name, value]) => [ids.get(name) ?? "", value]));
      return parent.invoke(new Command({ resume: byId }) as never, at);
    };
    const approve = { decisions: [APPROVE] };
    await answerAll({ left: { decisions: [{ type: "reject" }] }, middle: "nonsense", right: approve });
    expect(executions("at once")).toEqual(["ask; 'right at once'"]);
    expect([...(await waiting()).keys()]).toContain("middle");
    await answerAll({ middle: approve });
    expect(executions("at once")).toEqual(["ask; 'right at once'", "ask; 'middle at once'"]);
    expect((await parent.getState(at)).next).toEqual([]);
  });
});
