/**
 * An agent with two tools of its own, and code execution as a subgraph: the example to copy into a graph of your own.
 * `messages` is all that the two share. The subgraph answers its own calls and leaves the others to the ToolNode, which
 * in turn passes over what is answered. Data reaches the code as the model writes it, or as `input` from the graph.
 */

import { type AIMessage, type BaseMessage, SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { createCodeTools } from "../src/graph/tools.ts";
import { createCodeExecutionGraph } from "../src/graph/workflow.ts";
import { createModel, type Script, sandbox } from "./deployment.ts";

const ORDERS = [
  { customer: "Ada", amount: 1200, currency: "EUR" },
  { customer: "Grace", amount: 800, currency: "USD" },
  { customer: "Ada", amount: 300, currency: "USD" },
];
const RATES = { EUR: 1, USD: 0.92, GBP: 1.17 };

const listOrders = tool(() => JSON.stringify(ORDERS), {
  name: "list_orders",
  description: "All orders of this month as JSON: customer, amount, currency.",
  schema: z.strictObject({}),
});

const exchangeRate = tool(({ currency }) => String(RATES[currency]), {
  name: "exchange_rate",
  description: "What one unit of a currency is worth in EUR.",
  schema: z.strictObject({ currency: z.enum(["EUR", "USD", "GBP"]) }),
});

const ownTools = [listOrders, exchangeRate];
const codeTools = createCodeTools({ sandbox });
const code = createCodeExecutionGraph({ sandbox, unknownTools: "leave", name: "code" });

/** Looks the data up, computes with it, tells the result: every question gets the same. */
const script: Script = (messages) => {
  const results = messages.filter((message) => message.getType() === "tool").map((message) => message.text);
  const [orders, rate, computed] = results;
  if (computed !== undefined) return `The orders in EUR, computed as an example: ${computed}`;
  if (orders === undefined) {
    const look = { name: "list_orders", args: {} };
    return [look, { name: "exchange_rate", args: { currency: "USD" } }];
  }
  const source = `const rates = { EUR: 1, USD: ${rate} };
const result = ${orders}.reduce((sum, { amount, currency }) => sum + amount * rates[currency], 0);`;
  return [{ name: "run_javascript_sandboxed", args: { source } }];
};

const system = new SystemMessage("Look data up with the tools, and compute with code instead of in your head.");

let model: ReturnType<NonNullable<ReturnType<typeof createModel>["bindTools"]>> | undefined;

async function callModel(state: { messages: BaseMessage[] }) {
  model ??= createModel(script).bindTools?.([...ownTools, ...codeTools]);
  if (model === undefined) throw new Error("This model takes no tools.");
  return { messages: [await model.invoke([system, ...state.messages])] };
}

function routeModel(state: { messages: BaseMessage[] }): "calls" | "answer" {
  const { tool_calls: calls = [], invalid_tool_calls: invalid = [] } = state.messages.at(-1) as AIMessage;
  return calls.length + invalid.length > 0 ? "calls" : "answer";
}

export const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
  .addNode("model", callModel)
  .addNode("code", code)
  .addNode("tools", new ToolNode(ownTools))
  .addEdge(START, "model")
  .addConditionalEdges("model", routeModel, { calls: "code", answer: END })
  .addEdge("code", "tools")
  .addEdge("tools", "model")
  .compile({ name: "embedded" });
