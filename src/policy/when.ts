/**
 * Tests the `when` of a document's rule: its conditions are joined by *and*.
 * Says yes, no or unknown; what unknown means for the effect is decided in `evaluate.ts`.
 */

import type { Effect, Facts, Language } from "../types.ts";
import type { PolicyRule, When } from "./document.ts";
import type { Finding } from "./rule.ts";
import { CONDITIONS, type ConditionKey } from "./rules/index.ts";

function keysOf(when: When): ConditionKey[] {
  return (Object.keys(when) as ConditionKey[]).filter((key) => when[key] !== undefined);
}

/** An empty `when` always holds. */
export function testWhen(when: When, facts: Facts): Finding {
  const findings = keysOf(when).map((key) => CONDITIONS[key].test(when[key], facts));
  const doubt = findings.find(({ holds }) => holds === "no") ?? findings.find(({ holds }) => holds === "unknown");
  if (doubt) return doubt;
  const found = findings.flatMap(({ names }) => names ?? []);
  const told = found.flatMap((names) => names.told);
  const untold = found.reduce((sum, names) => sum + names.untold, 0);
  const why = findings.map(({ why }) => why).join("; ") || "always";
  return { holds: "yes", why, ...(found.length > 0 && { names: { told, untold } }) };
}

export function readsManifest(when: When): boolean {
  return keysOf(when).some((key) => CONDITIONS[key].readsManifest);
}

/** A rule of `effect` and of `key` alone, perhaps for one language, that holds for every call of `language`. */
export function appliesAlways(
  { effect, when }: PolicyRule,
  wanted: Effect,
  key: ConditionKey,
  language: Language,
): boolean {
  if (effect !== wanted || when[key] === undefined) return false;
  return keysOf(when).every((other) => other === key || (other === "language" && when.language === language));
}
