/**
 * How each call of a turn stands with the person who is asked: settled by its record, or open.
 * Decides every open call again and takes answers for them; puts no question and runs nothing.
 */

import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { GrantScope } from "../policy/grant.ts";
import { observationText } from "../protocol/json.ts";
import type { CallRecord, Decision } from "../types.ts";
import { whoApproves } from "./approval-scope.ts";
import type { Core } from "./core.ts";
import type { Here } from "./here.ts";
import type { OpenCall } from "./question.ts";
import { describeCall, findRecord, findStored } from "./records.ts";
import { approvalRejected, deniedSince } from "./refusals.ts";
import type { Reply } from "./replies.ts";
import type { GraphState } from "./state.ts";
import { decideCall } from "./thread-facts.ts";
import type { TurnCall } from "./turn.ts";

export interface Standing {
  given: TurnCall;
  record: CallRecord;
  /** What a person is to be shown; null where nobody has to be asked. */
  open: OpenCall | null;
}
export type OpenStanding = Standing & { open: OpenCall };

export function isOpen(standing: Standing): standing is OpenStanding {
  return standing.open !== null;
}

const NO_LONGER_ASKED = "The policy changed after this was asked, and would allow it now: your answer still decides.";

/** A question that was put is a person's to answer, also where the policy of today would not put it. */
function keepAsking(decision: Decision | null): Decision | null {
  if (decision?.effect !== "allow") return decision;
  return { ...decision, effect: "ask", reasons: [{ rule: "asked-before", message: NO_LONGER_ASKED }] };
}

export function createStandings(core: Core, here: Here, scope: GrantScope, config: LangGraphRunnableConfig) {
  const { grants } = core;
  const approver = whoApproves(config);

  const consider = async (given: TurnCall, edited: string | null, wasAsked: boolean): Promise<Standing> => {
    const judged = await decideCall(core, here, given, { edited, signal: config.signal });
    if (judged === null) return { given, record: describeCall(given), open: null };
    const { call, refusal } = judged;
    const decision = wasAsked ? keepAsking(judged.decision) : judged.decision;
    const record = { ...describeCall(given, edited), ...(decision === null ? {} : { decision }) };
    if (decision?.effect === "ask") {
      const manifest = judged.manifest ?? (await core.pipeline.inspect(call, config.signal));
      return { given, record, open: { call, decision, manifest, edited: edited !== null } };
    }
    if (refusal !== null) {
      const told = wasAsked && decision !== null ? deniedSince(refusal) : refusal;
      return { given, record: { ...record, observation: observationText(told) }, open: null };
    }
    const grant = edited === null ? {} : { grant: grants.issue(scope, call, { answer: "edit", approver }) };
    return { given, record: { ...record, ...grant }, open: null };
  };

  /** An approval that was taken before holds as long as its grant. */
  const isSettled = ({ id, name, verdict }: TurnCall, record: CallRecord): boolean => {
    if (record.observation !== undefined) return true;
    if (record.source === undefined || !verdict.valid) return false;
    const grant = grants.find(scope, { id, name, language: verdict.language, source: record.source }, record);
    return grant !== null && grant.expiresAt > Date.now();
  };

  return {
    async stand(given: TurnCall, calls: GraphState["calls"]): Promise<Standing> {
      const record = findRecord(here.turn, given, calls);
      if (record !== null && isSettled(given, record)) return { given, record, open: null };
      const edited = record?.original === undefined ? null : (record.source ?? null);
      // Whoever wrote that it was asked: to believe it makes nobody run anything.
      return consider(given, edited, findStored(calls, given.id)?.asked !== undefined);
    },

    async take({ given, record, open }: OpenStanding, reply: Reply): Promise<Standing> {
      here.tell("approved", given.id, { answer: reply.type });
      if (reply.type === "reject") {
        const approval = { answer: "reject" as const, approver, tamperEvident: grants.tamperEvident };
        const observation = observationText(approvalRejected(reply.message));
        return { given, record: { ...record, approval, observation }, open: null };
      }
      if (reply.type === "edit" && reply.source !== open.call.source) return consider(given, reply.source, false);
      const answer = open.edited ? "edit" : "approve";
      return { given, record: { ...record, grant: grants.issue(scope, open.call, { answer, approver }) }, open: null };
    },
  };
}
