/**
 * What the graph adds: one AIMessage with one call through validate, policy, execute and observe, without a model.
 * A new thread each time; the policies take turns.
 */

import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { atMost, type Row, row, showMs } from "./row.ts";
import { median, summarize, timeMs } from "./statistics.ts";
import { PROGRAM, runProgram, type Subject, scale, takeRounds } from "./subject.ts";

const WANTED_P50_MS = 5;
const WARM_UP = 30;

function askFor(turn: number): AIMessage {
  const call = { name: "run_javascript_sandboxed", args: { source: PROGRAM }, id: `call_${turn}` };
  return new AIMessage({ content: "", tool_calls: [{ ...call, type: "tool_call" }] });
}

function expectObservation({ messages }: { messages?: unknown }): void {
  const text = String((messages as BaseMessage[]).at(-1)?.content);
  if (!text.includes('"result":[2,4,6]')) throw new Error(`expected an observation, got ${text.slice(0, 200)}`);
}

export async function measureGraphTurn(subject: Subject): Promise<Row[]> {
  const { sandbox } = subject;
  const policies = ["standard", "allow-all"] as const;
  const graphs = policies.map((policy) => createCodeExecutionGraph({ sandbox, policy }));
  const samples = policies.map(() => [] as number[]);
  const runOnly: number[] = [];
  for (const turn of takeRounds(WARM_UP + scale(subject, 300, 60), 6000)) {
    for (const [index, graph] of graphs.entries()) {
      const message = askFor(turn);
      const ms = await timeMs(async () => expectObservation(await graph.invoke({ messages: [message] })));
      if (turn >= WARM_UP) samples[index]?.push(ms);
    }
    runOnly.push(await timeMs(() => runProgram(sandbox)));
  }
  const runMs = median(runOnly);
  return policies.map((policy, index) => {
    const figures = summarize(samples[index] ?? []);
    const { p50Ms, p99Ms } = figures;
    const seen = `p50 ${showMs(p50Ms)}, p99 ${showMs(p99Ms)}; sandbox.run beside it ${showMs(runMs)}`;
    const wanted = atMost(p50Ms, WANTED_P50_MS, `p50 at most ${WANTED_P50_MS} ms`);
    return row(`a graph turn without a model, policy ${policy}`, seen, { ...figures, runMs }, wanted);
  });
}
