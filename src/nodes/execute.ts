/**
 * execute: runs what validation and the policy allow now, in parallel, and leaves the results in the order of the calls.
 * Believes no stored "allow": the messages are read and the policy is evaluated again at this edge.
 */

import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { Core } from "../graph/core.ts";
import { lookAround } from "../graph/here.ts";
import { createLineBatches } from "../graph/line-batches.ts";
import { own } from "../graph/own.ts";
import { countIdenticalFailures } from "../graph/progress.ts";
import { writeReceipt } from "../graph/receipts.ts";
import { describeCall, findRecord, sealRecord } from "../graph/records.ts";
import { STEPS_FROM } from "../graph/room.ts";
import type { GraphState, GraphUpdate } from "../graph/state.ts";
import type { TurnCall } from "../graph/turn.ts";
import { observationText } from "../protocol/json.ts";
import type { CallRecord } from "../types.ts";

export function createExecute(core: Core) {
  return async function execute(state: GraphState, config: LangGraphRunnableConfig): Promise<GraphUpdate> {
    const { turn, settings, messages, tell, lastStep } = lookAround(core, state, config, STEPS_FROM.execute);
    const { policies, limits, policyName } = settings;
    const { signal } = config;

    const runOne = async (given: TurnCall): Promise<CallRecord> => {
      const { id, name, verdict } = given;
      const described = describeCall(given);
      if (!verdict.valid) return described;
      const stored = findRecord(turn, given, state.calls);
      if (stored?.observation !== undefined) return stored;
      const call = { id, name, language: verdict.language, source: verdict.source };
      const identicalFailures = countIdenticalFailures(messages, verdict, settings);
      const { decision, refusal } = await core.pipeline.decide({ call, policies, identicalFailures, signal });
      const decided = decision === null ? described : { ...described, decision };
      if (refusal !== null) return { ...decided, observation: observationText(refusal) };
      tell("started", id, { language: call.language });
      const printed = createLineBatches((lines) => tell("stdout", id, { lines }));
      const onStdout = (line: string) => printed.add(line);
      const execution = core.pipeline.run({ call, policies, limits, signal, onStdout });
      const { observation, engineSha256 } = await execution.finally(() => printed.end());
      tell("finished", id, { ok: observation.ok, status: observation.status, usage: { ...observation.usage } });
      const receipt = writeReceipt({
        ...given,
        turn: turn.number,
        policy: policyName,
        decision,
        observation,
        engineSha256,
        layers: core.layers,
      });
      return { ...decided, observation: observationText(observation), receipt };
    };

    const records = await Promise.all(turn.calls.map(runOne));
    return { ...lastStep, calls: own(records.map((record) => sealRecord(turn, record))) };
  };
}
