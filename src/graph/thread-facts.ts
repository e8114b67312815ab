/**
 * Asks the policy about one call of the turn, with what the thread has done so far.
 * The one way in which nodes decide: what policy, approve and execute ask is the same question.
 */

import type { ValidatedCall } from "../types.ts";
import type { Core } from "./core.ts";
import type { Here } from "./here.ts";
import type { Judgement } from "./pipeline.ts";
import { countIdenticalFailures } from "./progress.ts";
import type { TurnCall } from "./turn.ts";

export interface JudgedCall extends Judgement {
  call: ValidatedCall;
}

/** Calls of the turn before this one count as if they had run: which of them will is not known yet. */
function countBefore({ turn }: Here, callId: string): number {
  const place = turn.calls.findIndex(({ id }) => id === callId);
  return turn.calls.slice(0, place).filter(({ verdict }) => verdict.valid).length;
}

/** Null for a call that validation refused. `edited`: the program that a person has put in place of the call's own. */
export async function decideCall(
  core: Core,
  here: Here,
  { id, name, verdict }: TurnCall,
  { edited, signal }: { edited: string | null; signal: AbortSignal | undefined },
): Promise<JudgedCall | null> {
  if (!verdict.valid) return null;
  const { settings, messages, spent } = here;
  const call: ValidatedCall = { id, name, language: verdict.language, source: edited ?? verdict.source };
  const judged = await core.pipeline.decide({
    call,
    policies: settings.policies,
    identicalFailures: countIdenticalFailures(messages, call, settings),
    thread: { runs: spent.runs + countBefore(here, id), timeMs: spent.timeMs },
    signal,
  });
  return { ...judged, call };
}
