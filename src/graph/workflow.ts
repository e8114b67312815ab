/**
 * The graph as one chain: a model's tool call enters through validate and leaves through observe.
 * Puts nodes and routers together and nothing else; what they do is in their own files.
 */

import { SystemMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, END, START, StateGraph } from "@langchain/langgraph";
import { createApprove } from "../nodes/approve.ts";
import { createExecute } from "../nodes/execute.ts";
import { createModelNode } from "../nodes/model.ts";
import { createObserve } from "../nodes/observe.ts";
import { createPolicyNode } from "../nodes/policy.ts";
import { createValidate } from "../nodes/validate.ts";
import { type BoundOptions, type ResolvedGraphOptions, resolveGraphOptions } from "../options-graph.ts";
import { describeForSystem } from "../policy/prompt.ts";
import { createAsk, type ModelOption } from "./ask.ts";
import { createContextSchema } from "./context.ts";
import { type Core, createCore } from "./core.ts";
import { neededRecursionLimit } from "./room.ts";
import { Router } from "./router.ts";
import { createRouters } from "./routers.ts";
import { createState } from "./state.ts";
import { describeTools } from "./tools.ts";

/** What `createCodeExecutionGraph` takes. Everything but `sandbox` may be left out. */
export interface GraphOptions extends BoundOptions {
  /** A chat model with `bindTools`, or a function that makes one at the first question. Without it: the executor. */
  model?: ModelOption;
  /** `success`: a turn whose calls are all ok ends the graph. `answer`: the model's words do. Default `success`. */
  endOn?: "success" | "answer";
  /** `leave`: calls of tools that are not ours are a parent's to answer. Default `reject`. */
  unknownTools?: "reject" | "leave";
  /** Put before the messages whenever the model is asked; never stored. */
  systemMessage?: string | SystemMessage;
  checkpointer?: BaseCheckpointSaver | boolean;
  /** Begins the system message with what the policy and the limits say of turns, answers and approval. Default false. */
  tellRules?: boolean;
  /** Name of the graph, for drawings and traces. Default `sallyport`. */
  name?: string;
}

function writeSystemMessage(
  core: Core,
  given: GraphOptions["systemMessage"],
  { tellRules, sandbox, maxTurns, maxCallsPerTurn }: ResolvedGraphOptions,
): SystemMessage | null {
  const own = typeof given === "string" ? new SystemMessage(given) : (given ?? null);
  if (!tellRules) return own;
  const rules = describeForSystem(core.policy, { ...sandbox.limits, maxTurns, maxCallsPerTurn });
  return new SystemMessage(own === null ? rules : `${rules}\n\n${own.text}`);
}

/** Where a router's labels lead, the same in both graphs. */
const AFTER_VALIDATE = { valid: "policy", rejected: "observe", no_calls: END } as const;
const AFTER_DECISION = { allowed: "execute", ask: "approve", denied: "observe" } as const;

function buildAgent(core: Core, options: GraphOptions, resolved: ResolvedGraphOptions, model: ModelOption) {
  const route = createRouters(core);
  const tools = describeTools(resolved.sandbox, core.policy, core.limits);
  const system = writeSystemMessage(core, options.systemMessage, resolved);
  return new StateGraph(createState(core.gate, createContextSchema(resolved, core.policyNames)))
    .addNode("model", createModelNode(core, createAsk(model, tools), system))
    .addNode("validate", createValidate(core))
    .addNode("policy", createPolicyNode(core))
    .addNode("approve", createApprove(core))
    .addNode("execute", createExecute(core))
    .addNode("observe", createObserve(core))
    .addConditionalEdges(START, new Router(route.routeStart), { model: "model", "no steps": END })
    .addConditionalEdges("model", new Router(route.routeModel), {
      calls: "validate",
      answer: END,
      no_calls: END,
      cap: END,
    })
    .addConditionalEdges("validate", new Router(route.routeValidate), AFTER_VALIDATE)
    .addConditionalEdges("policy", new Router(route.routePolicy), AFTER_DECISION)
    .addConditionalEdges("approve", new Router(route.routeApprove), AFTER_DECISION)
    .addEdge("execute", "observe")
    .addConditionalEdges("observe", new Router(route.routeObserve), {
      next: "model",
      success: END,
      cap: END,
      answer: END,
      cancelled: END,
    });
}

function buildExecutor(core: Core, resolved: ResolvedGraphOptions) {
  const route = createRouters(core);
  return new StateGraph(createState(core.gate, createContextSchema(resolved, core.policyNames)))
    .addNode("validate", createValidate(core))
    .addNode("policy", createPolicyNode(core))
    .addNode("approve", createApprove(core))
    .addNode("execute", createExecute(core))
    .addNode("observe", createObserve(core))
    .addConditionalEdges(START, new Router(route.routeStart), {
      validate: "validate",
      "no room": "observe",
      "no steps": END,
    })
    .addConditionalEdges("validate", new Router(route.routeValidate), AFTER_VALIDATE)
    .addConditionalEdges("policy", new Router(route.routePolicy), AFTER_DECISION)
    .addConditionalEdges("approve", new Router(route.routeApprove), AFTER_DECISION)
    .addEdge("execute", "observe")
    .addConditionalEdges("observe", new Router(route.routeObserve), {
      success: END,
      cap: END,
      answer: END,
      cancelled: END,
    });
}

/**
 * A compiled graph that runs a model's code: with `model` an agent, without one the executor for a parent with its own.
 * @throws SandboxError INVALID_OPTIONS that names each wrong option
 */
export function createCodeExecutionGraph(options: GraphOptions) {
  const resolved = resolveGraphOptions(options);
  const { model, checkpointer } = options;
  const core = createCore(resolved, model !== undefined);
  const compileOptions = { name: resolved.name, ...(checkpointer === undefined ? {} : { checkpointer }) };
  const compiled =
    model === undefined
      ? buildExecutor(core, resolved).compile(compileOptions)
      : buildAgent(core, options, resolved, model).compile(compileOptions);
  return compiled.withConfig({
    recursionLimit: neededRecursionLimit(resolved.maxTurns, core.hasModel, core.policy.mayAsk),
  });
}

export type CodeExecutionGraph = ReturnType<typeof createCodeExecutionGraph>;
