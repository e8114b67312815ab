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

/** Null for a call that validation refused. `edited`: the program that a person has put in place of the call's own. */
export async function decideCall(
  core: Core,
  here: Here,
  { id, name, verdict }: TurnCall,
  { edited, signal }: { edited: string | null; signal: AbortSignal | undefined },
): Promise<JudgedCall | null> {
  if (!verdict.valid) return null;
  const { settings, messages } = here;
  const call: ValidatedCall = { id, name, language: verdict.language, source: edited ?? verdict.source };
  const identicalFailures = countIdenticalFailures(messages, call, settings);
  const judged = await core.pipeline.decide({ call, policies: settings.policies, identicalFailures, signal });
  return { ...judged, call };
}
