/**
 * The tools that the model sees, and the same tools for agents that run them themselves.
 * One call through the graph's own nodes: validate, decide, ask, run. Answers with an observation; throws faults only.
 */

import { BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { type DynamicStructuredTool, type ToolRunnableConfig, tool } from "@langchain/core/tools";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import { closedFault } from "../errors.ts";
import { type BoundOptions, resolveToolOptions } from "../options-graph.ts";
import type { Policy } from "../policy/evaluate.ts";
import { describeTool } from "../policy/prompt.ts";
import type { CallLimits, Sandbox } from "../types.ts";
import { readArguments } from "./arguments.ts";
import { type Core, createCore } from "./core.ts";
import { answerOne, considerCalls, placeCall } from "./door.ts";
import { field, textOf } from "./fields.ts";
import type { SealedRecord } from "./records.ts";
import { listTools } from "./tool-names.ts";

/** The id of a call that has none, because a program and not a model made it. */
const LONE_ID = "call";

const argumentsSchema = z.strictObject({ source: z.string().describe("The program to run.") });

export type CodeTool = DynamicStructuredTool<typeof argumentsSchema>;

/** What a chat model is bound to: name, description and strict schema; nothing that runs. */
export function describeTools(sandbox: Sandbox, policy: Policy, limits: Readonly<CallLimits>) {
  return [...listTools(sandbox.languages)].map(([name, language]) => ({
    name,
    description: describeTool(policy, language, { ...sandbox.limits, ...limits }),
    schema: argumentsSchema,
  }));
}

interface Door {
  core: Core;
  name: string;
  /** The middleware asks for approvals before tools are called: then they are found, not asked for. */
  findRecords: ((state: unknown) => readonly SealedRecord[]) | null;
  /** What was answered to the question of a whole turn, by the task that put it. */
  considered: WeakMap<object, Promise<SealedRecord[]>>;
}

/** The messages that the agent's tool node saw, where it is one that tells. */
function readConversation(state: unknown): BaseMessage[] {
  const given = Array.isArray(state) ? state : field(state, "messages");
  return Array.isArray(given) && given.every((message) => BaseMessage.isInstance(message)) ? given : [];
}

/** One question for all calls that one task runs, before any of them runs: else an answer to one would run another again. */
function considerTask(door: Door, messages: BaseMessage[], id: string, config: LangGraphRunnableConfig) {
  const task = field(config.configurable, "__pregel_scratchpad");
  const isAlone = typeof task !== "object" || task === null || field(field(task, "currentTaskInput"), "lg_tool_call");
  if (isAlone) return considerCalls({ ...door.core, only: id }, messages, config);
  const known = door.considered.get(task) ?? considerCalls(door.core, messages, config);
  door.considered.set(task, known);
  return known;
}

/** One call to its answer: a ToolMessage where it came as a tool call, else the text alone. */
async function answerCall(door: Door, args: unknown, given: ToolRunnableConfig | undefined) {
  // Called with a closed sandbox, it is a fault; closed while it went on, the call ends as cancelled.
  if (door.core.isClosed()) throw closedFault();
  const config = (given ?? {}) as LangGraphRunnableConfig;
  const toolCallId = textOf(field(given?.toolCall, "id"));
  const id = toolCallId ?? LONE_ID;
  const state = field(given, "state");
  const messages = placeCall(readConversation(state), { id, name: door.name, args });
  const records = door.findRecords?.(state) ?? (await considerTask(door, messages, id, config));
  const message = await answerOne(door.core, messages, records, id, config);
  return toolCallId === undefined ? message.content : message;
}

function createTool(door: Door, description: string): CodeTool {
  const made = tool((args, config) => answerCall(door, args, config), {
    name: door.name,
    description,
    schema: argumentsSchema,
  }) as CodeTool;
  const invokeChecked = made.invoke.bind(made);
  /** Wrong arguments are an observation, where LangChain's own check would throw and end the superstep. */
  const invoke = async (input: unknown, config?: ToolRunnableConfig) => {
    const isCall = field(input, "type") === "tool_call";
    const args = isCall ? field(input, "args") : input;
    if (readArguments({ args }, door.core.limits).ok) return invokeChecked(input as { source: string }, config);
    return answerCall(door, args, isCall ? { ...config, toolCall: input as ToolCall } : config);
  };
  made.invoke = invoke as typeof made.invoke;
  return made;
}

/** The tools of a core, one for each language of its sandbox. */
export function createToolsOf(core: Core, sandbox: Sandbox, findRecords: Door["findRecords"]): CodeTool[] {
  const considered = new WeakMap();
  return describeTools(sandbox, core.policy, core.limits).map(({ name, description }) =>
    createTool({ core, name, findRecords, considered }, description),
  );
}

/**
 * LangChain tools that run code: `run_javascript_sandboxed`, and one for each further language of the sandbox.
 * A result is the observation as one line of JSON; for a tool call, a ToolMessage with status success or error.
 * In a ToolNode, turns and repeats count as in the graph, and what asks is asked; alone, a tool sees its own call only.
 * @throws SandboxError INVALID_OPTIONS
 */
export function createCodeTools(options: BoundOptions): CodeTool[] {
  const resolved = resolveToolOptions(options);
  return createToolsOf(createCore(resolved, true), resolved.sandbox, null);
}
