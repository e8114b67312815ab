// The executor graph in somebody else's project: one allowed call, one that the policy refuses, one malformed.
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { createCodeExecutionGraph, createSandbox } from "sallyport";

const name = "run_javascript_sandboxed";
const sandbox = await createSandbox();
const graph = createCodeExecutionGraph({ sandbox, policy: "standard" });
const ask = async (...calls) => {
  const tool_calls = calls.map((args, index) => ({ id: `call_${index}`, name, args, type: "tool_call" }));
  const messages = [new HumanMessage("Compute."), new AIMessage({ content: "", tool_calls })];
  const state = await graph.invoke({ messages });
  const answers = state.messages.slice(messages.length).map((message) => JSON.parse(message.content));
  return { outcome: state.outcome.kind, answers };
};
const good = await ask({ source: "6 * 7" });
const mixed = await ask({ source: "6 * 7" }, { source: "eval('1')" }, { source: "1", timeoutMs: 9 });
await sandbox.close();
console.log(JSON.stringify({ good, mixed }));
