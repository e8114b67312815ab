/**
 * execute: runs what validation and the policy allow now, in parallel, and leaves the results in the order of the calls.
 * Believes no stored "allow": messages are read and the policy is evaluated again at this edge; a grant proves itself.
 */

import { createHash } from "node:crypto";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { canAsk, scopeOf } from "../graph/approval-scope.ts";
import type { Core } from "../graph/core.ts";
import { lookAround } from "../graph/here.ts";
import { createLineBatches } from "../graph/line-batches.ts";
import { own } from "../graph/own.ts";
import { writeReceipt } from "../graph/receipts.ts";
import { describeCall, findRecord, sealRecord } from "../graph/records.ts";
import { notApproved, notAsApproved } from "../graph/refusals.ts";
import { spread } from "../graph/spread.ts";
import type { GraphState, GraphUpdate } from "../graph/state.ts";
import { decideCall } from "../graph/thread-facts.ts";
import type { TurnCall } from "../graph/turn.ts";
import { observationText } from "../protocol/json.ts";
import type { CallRecord, Execution, Grant, Observation } from "../types.ts";

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** What the worker was given is what was decided about, or its result counts for nothing. */
function checkRan({ observation, engineSha256 }: Execution, source: string): Observation {
  return engineSha256 === null || engineSha256 === hash(source) ? observation : notAsApproved();
}

export function createExecute(core: Core) {
  return async function execute(state: GraphState, config: LangGraphRunnableConfig): Promise<GraphUpdate> {
    const here = lookAround(core, state, config, "execute");
    const { turn, settings, tell, lastStep } = here;
    const { policies, limits, policyName } = settings;
    const { signal } = config;
    const mayWait = canAsk(config);
    const tenant = core.tenantOf(config);

    /** The grant that holds for this call, and the program that it was given for: in a record that nobody has touched. */
    const findGrant = (given: TurnCall, record: CallRecord | null): { grant: Grant; edited: string | null } | null => {
      const { id, name, verdict } = given;
      if (!verdict.valid || record?.grant === undefined) return null;
      const { source = verdict.source } = record;
      const scope = scopeOf(core, here, config);
      const grant = core.grants.find(scope, { id, name, language: verdict.language, source }, record);
      return grant === null ? null : { grant, edited: source === verdict.source ? null : source };
    };

    /** Null where nothing is against running it. */
    const refuseUngranted = async (grant: Grant | null, isAsked: boolean): Promise<Observation | null> => {
      if (grant === null) return isAsked ? notApproved("void") : null;
      const redemption = await core.grants.redeem(grant);
      return redemption === "ok" ? null : notApproved(redemption);
    };

    const runOne = async (given: TurnCall): Promise<CallRecord> => {
      const { id, verdict } = given;
      if (!verdict.valid) return describeCall(given);
      const stored = findRecord(turn, given, state.calls);
      if (stored?.observation !== undefined) return stored;
      const { grant, edited } = findGrant(given, stored) ?? { grant: null, edited: null };
      const judged = await decideCall(core, here, given, { edited, signal });
      if (judged === null) return describeCall(given);
      const { call, decision, refusal } = judged;
      const described = {
        ...describeCall(given, edited),
        ...(decision === null ? {} : { decision }),
        ...(grant === null ? {} : { approval: grant }),
      };
      const answer = (observation: Observation) => ({ ...described, observation: observationText(observation) });
      const isAsked = decision?.effect === "ask" && mayWait;
      if (refusal !== null && !isAsked) return answer(refusal);
      const ungranted = await refuseUngranted(grant, isAsked);
      if (ungranted !== null) return answer(ungranted);
      tell("started", id, { language: call.language });
      const printed = createLineBatches((lines) => tell("stdout", id, { lines }));
      const onStdout = (line: string) => printed.add(line);
      const running = core.pipeline.run({ call, policies, limits, approved: grant !== null, tenant, signal, onStdout });
      const execution = await running.finally(() => printed.end());
      const observation = checkRan(execution, call.source);
      tell("finished", id, { ok: observation.ok, status: observation.status, usage: { ...observation.usage } });
      const receipt = writeReceipt({
        ...given,
        turn: turn.number,
        policy: policyName,
        decision,
        approval: grant,
        edited,
        observation,
        engineSha256: execution.engineSha256,
        layers: core.layers,
      });
      return { ...answer(observation), receipt };
    };

    const records = await spread(turn.calls, runOne);
    return { ...lastStep, calls: own(await spread(records, (record) => sealRecord(turn, record))) };
  };
}
