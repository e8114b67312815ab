/**
 * policy: each validated call with the policy's decision; a denied one has its observation.
 * Runs nothing. Its "allow" is a cache: the execute edge decides again.
 */

import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { Core } from "../graph/core.ts";
import { lookAround } from "../graph/here.ts";
import { own } from "../graph/own.ts";
import { countIdenticalFailures } from "../graph/progress.ts";
import { describeCall, sealRecord } from "../graph/records.ts";
import { STEPS_FROM } from "../graph/room.ts";
import type { GraphState, GraphUpdate } from "../graph/state.ts";
import type { TurnCall } from "../graph/turn.ts";
import { observationText } from "../protocol/json.ts";

export function createPolicyNode(core: Core) {
  return async function policy(state: GraphState, config: LangGraphRunnableConfig): Promise<GraphUpdate> {
    const { turn, settings, messages, tell, lastStep } = lookAround(core, state, config, STEPS_FROM.policy);
    const decide = async (call: TurnCall) => {
      const { id, name, verdict } = call;
      if (!verdict.valid) return sealRecord(turn, describeCall(call));
      const { decision, refusal } = await core.pipeline.decide({
        call: { id, name, language: verdict.language, source: verdict.source },
        policies: settings.policies,
        identicalFailures: countIdenticalFailures(messages, verdict, settings),
        signal: config.signal,
      });
      const reasons = (decision?.reasons ?? []).map(({ rule, message }) => ({ rule, message }));
      tell("decided", id, { effect: decision?.effect ?? null, reasons });
      return sealRecord(turn, {
        ...describeCall(call),
        ...(decision === null ? {} : { decision }),
        ...(refusal === null ? {} : { observation: observationText(refusal) }),
      });
    };
    return { ...lastStep, calls: own(await Promise.all(turn.calls.map(decide))) };
  };
}
