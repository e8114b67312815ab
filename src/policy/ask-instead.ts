/**
 * A policy that asks a person where it would have refused: by the key of `when`, or by the id of a rule.
 * Turns deny into ask and nothing else; what it is not asked for stays as it is.
 */

import { SandboxError } from "../errors.ts";
import type { Facts } from "../types.ts";
import { digestOf } from "./digest.ts";
import type { PolicyRule } from "./document.ts";
import { assemblePolicy, type Policy, type Rule, rulesOf } from "./evaluate.ts";
import type { Finding } from "./rule.ts";

/** The key that the rule is about, where it is about one: `language` only says where it counts. */
function keyOf({ when }: PolicyRule): string | null {
  const keys = Object.entries(when).filter(([key, value]) => key !== "language" && value !== undefined);
  return keys.length === 1 ? (keys[0]?.[0] ?? null) : null;
}

/**
 * Code made from text leaves other things undetermined, which denies. Where a person is asked about that code, the doubt
 * that comes with it is theirs to judge as well: what is known to be refused stays refused.
 */
function withDoubtAsked(rules: readonly Rule[], meant: ReadonlySet<string>): Rule[] {
  const asking = rules.filter(({ id }) => meant.has(id));
  const isAsked = (facts: Facts) => asking.some((rule) => rule.test(facts).holds === "yes");
  return rules.flatMap((rule): Rule[] => {
    if (rule.effect !== "deny") return [rule];
    const look = (facts: Facts) => {
      const finding = rule.test(facts);
      return { finding, isDoubt: finding.holds === "unknown" && isAsked(facts) };
    };
    const denying = (facts: Facts): Finding => {
      const { finding, isDoubt } = look(facts);
      return isDoubt ? { ...finding, holds: "no" } : finding;
    };
    // Still a doubt, which a rule that asks matches: whoever is asked is not told that it was found.
    const doubting = (facts: Facts): Finding => {
      const { finding, isDoubt } = look(facts);
      return isDoubt ? finding : { holds: "no", why: "nothing to ask about" };
    };
    return [
      { ...rule, test: denying },
      { ...rule, effect: "ask", test: doubting },
    ];
  });
}

/** @throws SandboxError INVALID_OPTIONS where a name stands for no deny rule */
export function askInstead(policy: Policy, names: readonly string[]): Policy {
  if (names.length === 0) return policy;
  const { document } = policy;
  const denials = document.rules.filter(({ effect }) => effect === "deny");
  const isMeant = (rule: PolicyRule, name: string) => rule.id === name || keyOf(rule) === name;
  for (const [index, name] of names.entries()) {
    if (denials.some((rule) => isMeant(rule, name))) continue;
    const known = [...new Set(denials.flatMap((rule) => [keyOf(rule) ?? rule.id, rule.id]))].join(", ");
    throw new SandboxError(
      "INVALID_OPTIONS",
      `ask[${index}]: expected what the policy denies (${known}), got ${JSON.stringify(name.slice(0, 40))}`,
    );
  }
  const meant = new Set(denials.filter((rule) => names.some((name) => isMeant(rule, name))).map(({ id }) => id));
  const change = <Changed extends { id: string }>(rule: Changed) =>
    meant.has(rule.id) ? { ...rule, effect: "ask" as const } : rule;
  return assemblePolicy(
    Object.freeze({ ...document, rules: document.rules.map(change) }),
    withDoubtAsked(rulesOf(policy).map(change), meant),
    {
      name: `${policy.name}, asking`,
      readsManifest: policy.readsManifest,
      digest: digestOf({ extends: policy.digest, ask: [...meant].sort() }),
    },
  );
}
