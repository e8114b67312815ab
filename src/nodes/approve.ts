/**
 * approve: puts one question for all calls of the turn that ask, and takes each answer for its own call. Interrupts once
 * an entry: what an answer left open is asked in the next one, and the router leads back here.
 * Runs nothing, and believes no stored "allow": what is open is decided again.
 */

import { interrupt, isGraphBubbleUp, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { CHANGED, readAnswer } from "../graph/answer.ts";
import { scopeOf } from "../graph/approval-scope.ts";
import type { Core } from "../graph/core.ts";
import { lookAround } from "../graph/here.ts";
import { own } from "../graph/own.ts";
import { writeQuestion } from "../graph/question.ts";
import { findRecord, findStored, sealRecord } from "../graph/records.ts";
import { createStandings, isOpen, type Standing } from "../graph/standing.ts";
import type { GraphState, GraphUpdate } from "../graph/state.ts";
import { termsOf } from "../policy/grant.ts";
import type { CallRecord } from "../types.ts";

type About = Omit<NonNullable<CallRecord["question"]>, "terms">;

export function createApprove(core: Core) {
  const { grants } = core;

  /** Throws where nobody has answered yet: that is how a node waits. */
  const ask = (token: string, question: object): unknown => {
    try {
      return interrupt<unknown, unknown>(question);
    } catch (error) {
      if (isGraphBubbleUp(error)) grants.noteShown(token);
      throw error;
    }
  };

  return async function approve(state: GraphState, config: LangGraphRunnableConfig): Promise<GraphUpdate> {
    const here = lookAround(core, state, config, "approve");
    const { turn, lastStep, settings } = here;
    const scope = scopeOf(core, here, config);
    const terms = termsOf(scope);
    const { stand, take } = createStandings(core, here, scope, config);

    const leave = (standings: readonly Standing[], about: About): GraphUpdate => {
      const calls = standings.filter(isOpen).map(({ open }) => open.call);
      const asked = calls.length === 0 ? "" : grants.prepare(grants.tokenOf(scope, calls));
      const question = { terms, ...about };
      const records = standings.map(({ record, open }) => (open === null ? record : { ...record, asked, question }));
      return { ...lastStep, calls: own(records.map((record) => sealRecord(turn, record))) };
    };

    const standings: Standing[] = [];
    for (const given of turn.calls) standings.push(await stand(given, state.calls));
    const open = standings.filter(isOpen);
    const [first] = open;
    if (first === undefined) return leave(standings, {});

    const stored = findStored(state.calls, first.given.id);
    const before = findRecord(turn, first.given, state.calls)?.question;
    const shown = open.map((standing) => standing.open);
    const calls = shown.map(({ call }) => call);
    const token = grants.tokenOf(scope, calls);
    const hasChanged = stored?.question !== undefined && stored.question.terms !== terms;
    const problem = hasChanged ? CHANGED : (before?.problem ?? null);
    const reading = readAnswer(
      ask(token, writeQuestion(shown, { token, tamperEvident: grants.tamperEvident, problem })),
      {
        calls,
        token,
        limits: settings.limits,
        heard: before?.heard ?? null,
        hasChanged,
        wasPut: () => grants.wasPut(token, stored?.asked),
      },
    );
    if (!reading.taken) return leave(standings, { problem: reading.problem, heard: reading.heard });
    const answered: Standing[] = [];
    for (const standing of standings) {
      const reply = isOpen(standing) ? reading.replies[open.indexOf(standing)] : undefined;
      answered.push(isOpen(standing) && reply !== undefined ? await take(standing, reply) : standing);
    }
    return leave(answered, { heard: reading.heard });
  };
}
