/**
 * Sends the tour's steps and agents through the real graph, and shows what comes out as it comes.
 * Must not invent anything: every observation that is shown was made by the graph a moment ago.
 */

import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { TOOL_NAMES } from "../graph/tool-names.ts";
import { createCodeExecutionGraph } from "../graph/workflow.ts";
import type { Policy } from "../policy/evaluate.ts";
import type { Observation, Outcome, Receipt, Sandbox } from "../types.ts";
import {
  formatHeading,
  formatObservationText,
  formatPath,
  formatProgram,
  formatText,
  formatVerdict,
} from "./layout.ts";
import { ScriptedChatModel } from "./scripted-model.ts";
import type { Style } from "./style.ts";
import type { TourAgent } from "./tour-agents.ts";
import { findDifference } from "./tour-check.ts";
import type { TourStep } from "./tour-steps.ts";

export interface TourStage {
  readonly sandbox: Sandbox;
  readonly policies: { readonly chosen: Policy; readonly allowAll: Policy };
  readonly style: Style;
  /** False where a difference from the tour's words is no fault. */
  readonly isJudged: boolean;
  print(lines: readonly string[]): void;
}

interface GraphRun {
  readonly nodes: readonly string[];
  readonly messages: readonly BaseMessage[];
  readonly outcome: Outcome | undefined;
  readonly receipts: readonly Receipt[];
}

type Graph = ReturnType<typeof createCodeExecutionGraph>;

/** Runs the graph and keeps the order in which its nodes answered. */
async function runGraph(graph: Graph, messages: BaseMessage[]): Promise<GraphRun> {
  const nodes: string[] = [];
  let state: { messages?: BaseMessage[]; outcome?: Outcome | null; receipts?: Receipt[] } = {};
  for await (const [mode, chunk] of await graph.stream({ messages }, { streamMode: ["updates", "values"] })) {
    if (mode === "updates") nodes.push(...Object.keys(chunk));
    else state = chunk as typeof state;
  }
  const { messages: history = [], outcome, receipts = [] } = state;
  return { nodes, messages: history, outcome: outcome ?? undefined, receipts };
}

/** The nodes that were passed; where the policy refused, with its rule. */
function describePath({ nodes, receipts }: GraphRun): string[] {
  const rules = receipts.filter(({ decision }) => decision === "deny").flatMap((receipt) => receipt.rules);
  return nodes.map((node) => (node === "policy" && rules.length > 0 ? `policy (denied by ${rules.join(", ")})` : node));
}

/** Shows one step; resolves to what differed from the tour's words, if anything did. */
export async function showStep(stage: TourStage, step: TourStep, number: number): Promise<string | undefined> {
  const { sandbox, policies, style, print } = stage;
  const { code, language = "javascript", tool = TOOL_NAMES[language], limits, input, title } = step;
  const note = step.policy === "allow-all" ? "policy off" : (step.tool ?? "");
  print(["", formatHeading(number, title, note, style), "", ...formatProgram(code, style), ""]);
  const graph = createCodeExecutionGraph({
    sandbox,
    policy: step.policy === "allow-all" ? policies.allowAll : policies.chosen,
    ...(limits === undefined ? {} : { limits }),
    ...(input === undefined ? {} : { input }),
  });
  const call = { type: "tool_call" as const, id: `call_${number}`, name: tool, args: { source: code } };
  const run = await runGraph(graph, [new AIMessage({ content: "", tool_calls: [call] })]);
  const text = run.outcome?.observation ?? "{}";
  const isJudged = stage.isJudged || step.policy !== undefined;
  const difference = isJudged ? findDifference(JSON.parse(text) as Observation, step.expect) : undefined;
  print([
    formatPath(describePath(run), style),
    ...formatObservationText(text, style),
    ...(isJudged ? formatVerdict(step.remark, difference, style) : []),
  ]);
  return difference;
}

function isToolMessage(message: BaseMessage): message is ToolMessage {
  return ToolMessage.isInstance(message);
}

function formatConversation(messages: readonly BaseMessage[], style: Style): string[] {
  return messages.flatMap((message) => {
    if (isToolMessage(message)) return [...formatObservationText(String(message.content), style), ""];
    if (!AIMessage.isInstance(message)) return [];
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) return formatText(`"${message.text}"`, style);
    return calls.flatMap((call) => formatProgram(String(call.args.source), style));
  });
}

function findAgentDifference(run: GraphRun, { expect }: TourAgent): string | undefined {
  const calls = run.messages
    .filter((message) => AIMessage.isInstance(message))
    .flatMap(({ tool_calls }) => tool_calls ?? []);
  const answers = run.messages.filter(isToolMessage);
  const statuses = answers.map(({ content }) => (JSON.parse(String(content)) as Observation).status);
  const { kind, turns } = run.outcome ?? {};
  if (kind !== expect.kind || turns !== expect.turns)
    return `it ended as ${kind} after ${turns} turns, not as ${expect.kind} after ${expect.turns}`;
  const unanswered = calls.filter(
    (call) => answers.filter(({ tool_call_id }) => tool_call_id === call.id).length !== 1,
  );
  if (unanswered.length > 0) return `${unanswered.length} of ${calls.length} calls have not exactly one answer`;
  if (expect.statuses.length === 0) return statuses.includes("ok") ? "one of its programs was ok" : undefined;
  return statuses.join() === expect.statuses.join() ? undefined : `its programs ended as ${statuses.join(", ")}`;
}

/** Shows one scripted agent from question to end; resolves to what differed, if anything did. */
export async function showAgent(stage: TourStage, agent: TourAgent, number: number): Promise<string | undefined> {
  const { sandbox, policies, style, print } = stage;
  print(["", formatHeading(number, agent.title, "scripted model", style), ""]);
  print([...formatText(`Question: ${agent.question}`, style), ""]);
  const graph = createCodeExecutionGraph({
    sandbox,
    policy: policies.chosen,
    model: new ScriptedChatModel(agent.replies),
    endOn: "answer",
    maxTurns: 3,
    ...(agent.input === undefined ? {} : { input: agent.input }),
  });
  const run = await runGraph(graph, [new HumanMessage(agent.question)]);
  const difference = stage.isJudged ? findAgentDifference(run, agent) : undefined;
  const ended = `Ended by ${run.outcome?.kind} after ${run.outcome?.turns} turns.`;
  print([
    ...formatConversation(run.messages, style),
    ...formatVerdict(stage.isJudged ? `${ended} ${agent.remark}` : ended, difference, style),
  ]);
  return difference;
}
