/**
 * The tools that the model sees, and the same tools for agents that run them themselves.
 * One call through the graph's own pipeline: validate, decide, run. Answers with an observation; throws faults only.
 */

import { ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { type DynamicStructuredTool, type ToolRunnableConfig, tool } from "@langchain/core/tools";
import { z } from "zod";
import { type CodeOptions, type ResolvedCodeOptions, resolveToolOptions } from "../options.ts";
import { createPolicy, type Policy } from "../policy/evaluate.ts";
import { describeTool } from "../policy/prompt.ts";
import { observationText } from "../protocol/json.ts";
import type { CallLimits, Decision, Execution, Language, Sandbox } from "../types.ts";
import { type ArgumentsReading, readArguments } from "./arguments.ts";
import { field, textOf } from "./fields.ts";
import { createPipeline, type Pipeline } from "./pipeline.ts";
import { writeReceipt } from "./receipts.ts";
import { rejected } from "./refusals.ts";
import { listTools } from "./tool-names.ts";

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
  options: ResolvedCodeOptions;
  policy: Policy;
  pipeline: Pipeline;
  name: string;
  language: Language;
}

interface Passage {
  execution: Execution;
  decision: Decision | null;
}

async function passCall(door: Door, reading: ArgumentsReading, id: string, signal?: AbortSignal): Promise<Passage> {
  const { options, policy, pipeline, name, language } = door;
  const refuse = (observation: Execution["observation"]): Execution => ({ observation, engineSha256: null });
  if (!reading.ok) return { execution: refuse(rejected("InvalidArguments", reading.message)), decision: null };
  const call = { id, name, language, source: reading.source };
  const policies = [policy];
  const { decision, refusal } = await pipeline.decide({ call, policies, identicalFailures: 0, signal });
  if (refusal !== null) return { execution: refuse(refusal), decision };
  const { limits } = options;
  return { execution: await pipeline.run({ call, policies, limits, signal, onStdout: undefined }), decision };
}

/** One call to its answer: a ToolMessage where it came as a tool call, else the text alone. */
async function answerCall(door: Door, args: unknown, config: ToolRunnableConfig | undefined) {
  const { options, policy, name, language } = door;
  const toolCallId = textOf(field(config?.toolCall, "id"));
  const id = toolCallId ?? "";
  const reading = readArguments({ args }, options.limits);
  const { execution, decision } = await passCall(door, reading, id, config?.signal);
  const { observation, engineSha256 } = execution;
  const verdict = reading.ok
    ? { valid: true as const, language, source: reading.source }
    : { valid: false as const, error: "InvalidArguments" as const, message: reading.message };
  const facts = {
    id,
    name,
    verdict,
    turn: 0,
    policy: policy.name,
    decision,
    observation,
    engineSha256,
    approval: null,
    edited: null,
  };
  options.onReceipt?.(writeReceipt({ ...facts, layers: options.sandbox.layers }));
  const content = observationText(observation);
  if (toolCallId === undefined) return content;
  return new ToolMessage({ content, tool_call_id: toolCallId, name, status: observation.ok ? "success" : "error" });
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
    if (readArguments({ args }, door.options.limits).ok) return invokeChecked(input as { source: string }, config);
    return answerCall(door, args, isCall ? { ...config, toolCall: input as ToolCall } : config);
  };
  made.invoke = invoke as typeof made.invoke;
  return made;
}

/**
 * LangChain tools that run code: `run_javascript_sandboxed`, and one for each further language of the sandbox.
 * A result is the observation as one line of JSON; for a tool call, a ToolMessage with status success or error.
 * Turns and repeats are the graph's to count: a lone tool cannot see them.
 * @throws SandboxError INVALID_OPTIONS
 */
export function createCodeTools(options: CodeOptions): CodeTool[] {
  const resolved = resolveToolOptions(options);
  const policy = createPolicy(resolved.policy);
  const pipeline = createPipeline(resolved);
  const languages = listTools(resolved.sandbox.languages);
  return describeTools(resolved.sandbox, policy, resolved.limits).flatMap(({ name, description }) => {
    const language = languages.get(name);
    return language === undefined
      ? []
      : [createTool({ options: resolved, policy, pipeline, name, language }, description)];
  });
}
