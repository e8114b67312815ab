/**
 * policy: each validated call with the policy's decision; a denied one has its observation.
 * Runs nothing. Its "allow" is a cache: the execute edge decides again. What asks goes on to approve, where one can wait.
 */

import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { canAsk, scopeOf } from "../graph/approval-scope.ts";
import type { Core } from "../graph/core.ts";
import { lookAround } from "../graph/here.ts";
import { own } from "../graph/own.ts";
import { describeCall, sealRecord } from "../graph/records.ts";
import { spread } from "../graph/spread.ts";
import type { GraphState, GraphUpdate } from "../graph/state.ts";
import { decideCall, type JudgedCall } from "../graph/thread-facts.ts";
import type { TurnCall } from "../graph/turn.ts";
import { termsOf } from "../policy/grant.ts";
import { observationText } from "../protocol/json.ts";

export function createPolicyNode(core: Core) {
  return async function policy(state: GraphState, config: LangGraphRunnableConfig): Promise<GraphUpdate> {
    const here = lookAround(core, state, config, "policy");
    const { turn, tell, lastStep } = here;
    const mayWait = canAsk(config);
    const isAsked = (judged: JudgedCall | null) => mayWait && judged?.decision?.effect === "ask";

    const decide = async (given: TurnCall) => {
      const judged = await decideCall(core, here, given, { edited: null, signal: config.signal });
      if (judged !== null) {
        const reasons = (judged.decision?.reasons ?? []).map(({ rule, message }) => ({ rule, message }));
        tell("decided", given.id, { effect: judged.decision?.effect ?? null, reasons });
      }
      return { given, judged };
    };

    const decided = await spread(turn.calls, decide);
    const asking = decided.flatMap(({ judged }) => (judged !== null && isAsked(judged) ? [judged.call] : []));
    const ask = () => {
      const scope = scopeOf(core, here, config);
      return { asked: core.grants.prepare(core.grants.tokenOf(scope, asking)), question: { terms: termsOf(scope) } };
    };
    const question = asking.length === 0 ? {} : ask();
    const records = await spread(decided, ({ given, judged }) => {
      const { decision = null, refusal = null } = judged ?? {};
      return sealRecord(turn, {
        ...describeCall(given),
        ...(decision === null ? {} : { decision }),
        ...(isAsked(judged) ? question : refusal === null ? {} : { observation: observationText(refusal) }),
      });
    });
    return { ...lastStep, calls: own(records) };
  };
}
