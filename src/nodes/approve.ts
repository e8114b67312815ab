/**
 * approve: puts one question for all calls of the turn that ask, and takes each answer for its own call.
 * Runs nothing, and believes no record: it decides again what is asked, and an edit is validated and decided like a call.
 */

import { interrupt, isGraphBubbleUp, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { scopeOf, whoApproves } from "../graph/approval-scope.ts";
import type { Core } from "../graph/core.ts";
import { type Here, lookAround } from "../graph/here.ts";
import { own } from "../graph/own.ts";
import { type OpenCall, writeQuestion } from "../graph/question.ts";
import { describeCall, findStored, sealRecord } from "../graph/records.ts";
import { approvalRejected } from "../graph/refusals.ts";
import { type Reply, readReplies } from "../graph/replies.ts";
import type { GraphState, GraphUpdate } from "../graph/state.ts";
import { decideCall } from "../graph/thread-facts.ts";
import type { TurnCall } from "../graph/turn.ts";
import type { GrantScope } from "../policy/grant.ts";
import { observationText } from "../protocol/json.ts";
import type { CallRecord } from "../types.ts";

const UNPROVEN =
  "This process cannot tell that the calls are those that were shown before: look again, and answer again with the token.";

const REPEATED =
  "The same answer was given to the question before: repeat it with the token of this one, if it is meant.";

interface Asking {
  core: Core;
  here: Here;
  scope: GrantScope;
  /** How many questions this node has put before, answered or not. */
  attempts: number;
  proof: unknown;
  /** Answers of this run of the node: LangGraph hands an earlier one to a later question where a run is merely continued. */
  given: Set<string>;
}

/** Interrupts until there is an answer that can be taken. */
function ask(asking: Asking, open: readonly OpenCall[]): Reply[] {
  const { grants } = asking.core;
  const calls = open.map(({ call }) => call);
  const token = grants.tokenOf(asking.scope, calls);
  let problem: string | null = null;
  for (;;) {
    const attempt = asking.attempts++;
    const question = writeQuestion(open, { token, tamperEvident: grants.tamperEvident, problem });
    let answer: unknown;
    try {
      answer = interrupt<unknown, unknown>(question);
    } catch (error) {
      if (isGraphBubbleUp(error)) grants.noteShown(token, attempt);
      throw error;
    }
    const reading = readReplies(answer, { calls, token, limits: asking.here.settings.limits });
    problem = reading.ok ? null : reading.problem;
    if (!reading.ok) continue;
    const said = JSON.stringify(reading.replies);
    const isRepeated = asking.given.has(said);
    asking.given.add(said);
    if (reading.token !== null || (!isRepeated && grants.wasPut(token, attempt, asking.proof))) return reading.replies;
    problem = isRepeated ? REPEATED : UNPROVEN;
  }
}

export function createApprove(core: Core) {
  return async function approve(state: GraphState, config: LangGraphRunnableConfig): Promise<GraphUpdate> {
    const here = lookAround(core, state, config, "approve");
    const { turn, lastStep, tell } = here;
    const scope = scopeOf(core, here, config);
    const approver = whoApproves(config);
    const records = new Map<string, CallRecord>();
    let open: (OpenCall & { given: TurnCall })[] = [];

    const consider = async (given: TurnCall, edited: string | null) => {
      const judged = await decideCall(core, here, given, { edited, signal: config.signal });
      if (judged === null) return records.set(given.id, describeCall(given));
      const { call, decision, refusal } = judged;
      const record = { ...describeCall(given, edited), ...(decision === null ? {} : { decision }) };
      if (decision?.effect === "ask") {
        const manifest = judged.manifest ?? (await core.pipeline.inspect(call, config.signal));
        open.push({ given, call, decision, manifest, edited: edited !== null });
      } else if (refusal !== null) {
        records.set(given.id, { ...record, observation: observationText(refusal) });
      } else {
        const grant = edited === null ? {} : { grant: core.grants.issue(scope, call, { answer: "edit", approver }) };
        records.set(given.id, { ...record, ...grant });
      }
    };

    const take = async ({ given, call, decision, edited }: (typeof open)[number], reply: Reply) => {
      const record = { ...describeCall(given, edited ? call.source : null), decision };
      if (reply.type === "reject") {
        const approval = { answer: "reject" as const, approver, tamperEvident: core.grants.tamperEvident };
        const observation = observationText(approvalRejected(reply.message));
        records.set(given.id, { ...record, approval, observation });
      } else if (reply.type === "edit" && reply.source !== call.source) {
        await consider(given, reply.source);
      } else {
        const answer = edited ? "edit" : "approve";
        records.set(given.id, { ...record, grant: core.grants.issue(scope, call, { answer, approver }) });
      }
      tell("approved", given.id, { answer: reply.type });
    };

    for (const given of turn.calls) await consider(given, null);
    const proof = open[0] === undefined ? undefined : findStored(state.calls, open[0].given.id)?.asked;
    const asking: Asking = { core, here, scope, attempts: 0, proof, given: new Set() };
    while (open.length > 0) {
      const asked = open;
      const replies = ask(asking, asked);
      open = [];
      for (const [index, one] of asked.entries()) {
        const reply = replies[index];
        if (reply !== undefined) await take(one, reply);
      }
    }
    const calls = turn.calls.flatMap(({ id }) => records.get(id) ?? []);
    return { ...lastStep, calls: own(calls.map((record) => sealRecord(turn, record))) };
  };
}
