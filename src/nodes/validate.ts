/**
 * validate: each call of the last AI message, validated or rejected. Begins a turn.
 * Never runs, parses as code or asks about anything; what it leaves is read again by every later node.
 */

import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { Core } from "../graph/core.ts";
import { writeOutcome } from "../graph/ending.ts";
import { lookAround } from "../graph/here.ts";
import { own } from "../graph/own.ts";
import { describeCall, sealRecord } from "../graph/records.ts";
import { spread } from "../graph/spread.ts";
import type { GraphState, GraphUpdate } from "../graph/state.ts";

export function createValidate(core: Core) {
  return async function validate(state: GraphState, config: LangGraphRunnableConfig): Promise<GraphUpdate> {
    const { turn, tell, lastStep } = lookAround(core, state, config, "validate");
    for (const { id, name, verdict } of turn.calls) {
      if (verdict.valid) {
        const { language, source } = verdict;
        tell("validated", id, { ok: true, name, language, sourceChars: source.length });
      } else {
        tell("validated", id, { ok: false, name, error: verdict.error, message: verdict.message });
      }
    }
    const records = await spread(turn.calls, (call) => sealRecord(turn, describeCall(call)));
    return {
      ...lastStep,
      calls: own(records),
      outcome: own(writeOutcome(turn.calls.length > 0 ? null : "no_calls", turn.number, null)),
    };
  };
}
