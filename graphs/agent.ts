/**
 * The agent graph for the LangGraph server: a chat model of any OpenAI-compatible server that may run code.
 * Decides nothing that `createCodeExecutionGraph` does not; without a key it plays a script, which it says.
 */

import { createCodeExecutionGraph } from "../src/graph/workflow.ts";
import { createModel, type Script, sandbox } from "./deployment.ts";

const PROGRAM = `let prime = 1;
for (let found = 0; found < 100; ) {
  prime++;
  let divisor = 2;
  while (divisor * divisor <= prime && prime % divisor !== 0) divisor++;
  if (divisor * divisor > prime) found++;
}
const result = prime;`;

/** One fixed program, then what it is: every question gets the same. */
const script: Script = (messages) => {
  const last = messages.at(-1);
  if (last?.getType() === "tool") return `The 100th prime, computed as an example: ${last.text}`;
  return [{ name: "run_javascript_sandboxed", args: { source: PROGRAM } }];
};

export const graph = createCodeExecutionGraph({
  sandbox,
  model: () => createModel(script),
  endOn: "answer",
  name: "agent",
});
