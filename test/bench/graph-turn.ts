/**
 * What the graph adds: one AIMessage with one call through validate, policy, execute and observe, without a model.
 * A new thread each time; the policies take turns. As in life there is a rest between two turns, in which a model thinks:
 * without it a turn is measured beside the worker that still clears up after the turn before.
 */

import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { atMost, type Row, row, showMs } from "./row.ts";
import { median, PACE_MS, pause, summarize, timeMs } from "./statistics.ts";
import { PROGRAM, runProgram, type Subject, scale, takeRounds } from "./subject.ts";

const WANTED_P50_MS = 5;
/** Each graph is made of functions of its own, and V8 takes some hundred turns to compile them. */
const WARM_UP = 400;

function askFor(turn: number): AIMessage {
  const call = { name: "run_javascript_sandboxed", args: { source: PROGRAM }, id: `call_${turn}` };
  return new AIMessage({ content: "", tool_calls: [{ ...call, type: "tool_call" }] });
}

function expectObservation({ messages }: { messages?: unknown }): void {
  const text = String((messages as BaseMessage[]).at(-1)?.content);
  if (!text.includes('"result":[2,4,6]')) throw new Error(`expected an observation, got ${text.slice(0, 200)}`);
}

const POLICIES = ["standard", "allow-all"] as const;

/** A turn under each policy and a run beside them, round by round. */
async function takeTurns(subject: Subject, paceMs: number) {
  const { sandbox } = subject;
  const graphs = POLICIES.map((policy) => createCodeExecutionGraph({ sandbox, policy }));
  const turns = POLICIES.map(() => [] as number[]);
  const runs: number[] = [];
  for (const turn of takeRounds(scale(subject, WARM_UP, 60), 6000)) {
    for (const graph of graphs) expectObservation(await graph.invoke({ messages: [askFor(turn)] }));
  }
  for (const turn of takeRounds(scale(subject, 300, 60), 10_000)) {
    for (const [index, graph] of graphs.entries()) {
      const message = askFor(turn);
      if (paceMs > 0) await pause(paceMs);
      turns[index]?.push(await timeMs(async () => expectObservation(await graph.invoke({ messages: [message] }))));
    }
    if (paceMs > 0) await pause(paceMs);
    runs.push(await timeMs(() => runProgram(sandbox)));
  }
  return { turns: turns.map(summarize), runMs: median(runs) };
}

export async function measureGraphTurn(subject: Subject): Promise<Row[]> {
  const paced = await takeTurns(subject, PACE_MS);
  const pressed = await takeTurns(subject, 0);
  return POLICIES.flatMap((policy, index) => {
    const figures = paced.turns[index] ?? summarize([]);
    const { p50Ms, p99Ms } = figures;
    const wanted = atMost(p50Ms, WANTED_P50_MS, `p50 at most ${WANTED_P50_MS} ms`);
    const what = `a graph turn without a model, policy ${policy}`;
    const seen = `p50 ${showMs(p50Ms)}, p99 ${showMs(p99Ms)}; sandbox.run beside it ${showMs(paced.runMs)}`;
    const pressedMs = pressed.turns[index]?.p50Ms ?? Number.NaN;
    return [
      row(`${what}, ${PACE_MS} ms apart`, seen, { ...figures, runMs: paced.runMs }, wanted),
      row(`${what}, with no rest between`, `p50 ${showMs(pressedMs)}`, { p50Ms: pressedMs, runMs: pressed.runMs }),
    ];
  });
}
