/**
 * observe: one tool message for each call of ours, receipts, the outcome; alone rewrites an AI message that is invalid.
 * Invents no result: a call whose record is not this process's own is answered as not run.
 */

import { ToolMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { Core } from "../graph/core.ts";
import { findEnding, writeOutcome } from "../graph/ending.ts";
import { lookAround } from "../graph/here.ts";
import { own } from "../graph/own.ts";
import { keepBorneOut, MAX_RECEIPTS, writeReceipt } from "../graph/receipts.ts";
import { describeCall, findEdits, findRecord } from "../graph/records.ts";
import { rejected, unavailable } from "../graph/refusals.ts";
import { rewriteMessage } from "../graph/rewrite.ts";
import { stepsFrom } from "../graph/room.ts";
import { addSpent } from "../graph/spent.ts";
import { spread } from "../graph/spread.ts";
import type { GraphState, GraphUpdate } from "../graph/state.ts";
import { NO_ROOM, type TurnCall } from "../graph/turn.ts";
import { observationText } from "../protocol/json.ts";
import type { CallRecord, Observation } from "../types.ts";

const REFUSED = observationText(rejected("TurnLimit", NO_ROOM));
const LOST = observationText(unavailable("The result of this call was lost before it could be told. Call again."));

export function createObserve(core: Core) {
  return async function observe(state: GraphState, config: LangGraphRunnableConfig): Promise<GraphUpdate> {
    const { turn, settings, messages, spent, room, isFirst, lastStep } = lookAround(core, state, config, "observe");

    const answer = (call: TurnCall) => {
      const record: CallRecord = findRecord(turn, call, state.calls) ?? describeCall(call);
      const text = record.observation ?? (isFirst && room < stepsFrom("validate", settings.mayAsk) ? REFUSED : LOST);
      const observation = JSON.parse(text) as Omit<Observation, "usage">;
      const message = new ToolMessage({
        content: text,
        tool_call_id: call.id,
        name: call.name,
        status: observation.ok ? "success" : "error",
      });
      const receipt =
        record.receipt ??
        writeReceipt({
          ...call,
          turn: turn.number,
          policy: settings.policyName,
          decision: record.decision ?? null,
          approval: record.approval ?? null,
          edited: record.original === undefined ? null : (record.source ?? null),
          observation: { ...observation, usage: { wallMs: 0, cpuMs: null, queueMs: 0 } },
          engineSha256: null,
          layers: core.layers,
        });
      return { text, observation, message, receipt, record };
    };

    const answers = await spread(turn.calls, answer);
    const kept = keepBorneOut(state.receipts, messages);
    if (answers.length === 0) return { ...lastStep, calls: own([]), receipts: own(kept) };
    const rewritten = rewriteMessage(turn, settings, findEdits(answers.map(({ record }) => record)));
    const told = answers.map(({ message }) => message);
    const receipts = answers.map(({ receipt }) => receipt);
    for (const receipt of receipts) core.onReceipt(receipt);
    const kind = findEnding({
      turn,
      observations: answers.map(({ observation }) => observation),
      endOn: settings.endOn,
      maxTurns: settings.maxTurns,
      roomAfter: room - 1,
      hasModel: core.hasModel,
      mayAsk: settings.mayAsk,
    });
    return {
      ...lastStep,
      messages: rewritten === null ? told : [rewritten, ...told],
      calls: own([]),
      outcome: own(writeOutcome(kind, turn.number, answers.at(-1)?.text ?? null)),
      spent: own(addSpent(spent, receipts)),
      receipts: own([...kept, ...receipts].slice(-MAX_RECEIPTS)),
    };
  };
}
