/**
 * The graph's nodes asked about single calls, for agents that run tools themselves: the same decisions, approvals and
 * answers. Keeps no state of a conversation; what it is told of one it reads again for every call.
 */

import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { createApprove } from "../nodes/approve.ts";
import { createExecute } from "../nodes/execute.ts";
import { createObserve } from "../nodes/observe.ts";
import { createPolicyNode } from "../nodes/policy.ts";
import { canAsk } from "./approval-scope.ts";
import { remakeMessage, withoutCallBlocks } from "./content.ts";
import type { Core } from "./core.ts";
import { field, list } from "./fields.ts";
import { readRawCalls } from "./raw-calls.ts";
import { describeCall, findEdits, findRecord, isWaiting, type SealedRecord } from "./records.ts";
import { rewriteMessage } from "./rewrite.ts";
import { spread } from "./spread.ts";
import type { GraphState } from "./state.ts";
import { readTurn } from "./turn.ts";

/** A call as an agent hands it to a tool. */
export interface GivenCall {
  id: string;
  name: string;
  args: unknown;
}

/** The nodes' state of one turn: nothing of it but `messages` is believed. */
export function stateOf(messages: readonly BaseMessage[], calls: readonly SealedRecord[]): GraphState {
  return { messages: [...messages], calls: [...calls], outcome: null, receipts: [] } as unknown as GraphState;
}

/** Records with the answers of whoever had to be asked; none where nobody has to be, or nobody can be. */
export async function considerCalls(
  core: Core,
  messages: readonly BaseMessage[],
  config: LangGraphRunnableConfig,
): Promise<SealedRecord[]> {
  if (!core.settingsOf(config).mayAsk || !canAsk(config)) return [];
  const { calls: decided = [] } = await createPolicyNode(core)(stateOf(messages, []), config);
  const approve = createApprove(core);
  let records = decided as SealedRecord[];
  while (records.some(isWaiting)) {
    const { calls = [] } = await approve(stateOf(messages, records), config);
    records = calls as SealedRecord[];
  }
  return records;
}

/** Runs the call, if it may run, and answers it. */
export async function answerOne(
  core: Core,
  messages: readonly BaseMessage[],
  records: readonly SealedRecord[],
  id: string,
  config: LangGraphRunnableConfig,
): Promise<ToolMessage> {
  const alone = { ...core, only: id };
  const { calls = [] } = await createExecute(alone)(stateOf(messages, records), config);
  const told = await createObserve(alone)(stateOf(messages, calls as SealedRecord[]), config);
  const answer = list(told.messages).findLast((message) => ToolMessage.isInstance(message));
  if (answer === undefined) throw new Error("A call was not answered.");
  return answer;
}

/** Answers to the calls that were refused before they could run, and the AI message as it is to be kept. */
export async function tellRefusals(
  core: Core,
  messages: readonly BaseMessage[],
  records: readonly SealedRecord[],
  config: LangGraphRunnableConfig,
): Promise<{ messages: BaseMessage[]; answered: number }> {
  const settings = core.settingsOf(config);
  const turn = readTurn(messages, settings);
  const found = turn.calls.map((call) => findRecord(turn, call, records) ?? describeCall(call));
  const refused = found.filter(({ observation }) => observation !== undefined);
  const told = await spread(refused, ({ id }) =>
    createObserve({ ...core, only: id })(stateOf(messages, records), config),
  );
  const answers = told.flatMap(({ messages }) => list(messages).filter((message) => ToolMessage.isInstance(message)));
  const rewritten = rewriteMessage(turn, settings, findEdits(found));
  return { messages: rewritten === null ? answers : [rewritten, ...answers], answered: refused.length };
}

function withoutRaw(message: BaseMessage, id: string): Record<string, unknown> {
  const { tool_calls: raw, ...kwargs } = message.additional_kwargs as { tool_calls?: unknown };
  const kept = list(raw).filter((call) => field(call, "id") !== id);
  return kept.length === 0 ? kwargs : { ...kwargs, tool_calls: kept };
}

/** The conversation as the call is in it: with the arguments that were handed over, or as a message of its own at the end. */
export function placeCall(messages: readonly BaseMessage[], { id, name, args }: GivenCall): BaseMessage[] {
  const call = { type: "tool_call", id, name, args };
  const position = messages.findLastIndex((message) => message.getType() === "ai" || message.getType() === "human");
  const message = messages[position];
  const calls = list(field(message, "tool_calls"));
  const isIn = readRawCalls(message).some((raw) => raw.givenId === id && raw.givenName === name && !raw.invalid);
  if (message === undefined || !isIn) {
    return [...messages, new AIMessage({ content: "", tool_calls: [call as never] })];
  }
  const isSame = calls.some((one) => field(one, "id") === id && field(one, "args") === args);
  if (isSame) return [...messages];
  const placed = remakeMessage(message, {
    content: withoutCallBlocks(message.content),
    tool_calls: calls.map((one) => (field(one, "id") === id ? call : one)),
    additional_kwargs: withoutRaw(message, id),
  });
  return messages.with(position, placed);
}
