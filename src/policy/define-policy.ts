/**
 * Rules in TypeScript beside a document: operator code, trusted, and still not believed when it fails.
 * Adds to what it extends and takes nothing away: deny stays before ask before allow.
 */

import { z } from "zod";
import { SandboxError } from "../errors.ts";
import type { Effect, Facts } from "../types.ts";
import { digestOf } from "./digest.ts";
import { type PolicyDocument, RESERVED_RULE_IDS } from "./document.ts";
import { assemblePolicy, createPolicy, type Policy, type Rule, rulesOf } from "./evaluate.ts";
import type { PresetName } from "./presets.ts";
import { describeProblems } from "./problems.ts";

export interface CodeRule {
  id: string;
  effect: Effect;
  /** Must answer at once, and with a boolean: anything else counts as a failure, and a failure denies. */
  when: (facts: Facts) => boolean;
  message: string;
}

export interface PolicyDefinition {
  name: string;
  /** What it adds to: the name of a preset, a document, or a policy. */
  extends: PresetName | PolicyDocument | Policy;
  rules: readonly CodeRule[];
}

const definitionSchema = z.strictObject({
  name: z.string().min(1).max(100),
  extends: z.custom<unknown>((value) => value !== undefined, { error: "a preset's name, a document or a policy" }),
  rules: z.array(
    z.strictObject({
      id: z.string().min(1).max(100),
      effect: z.enum(["allow", "deny", "ask"]),
      when: z.custom<CodeRule["when"]>((value) => typeof value === "function", { error: "a function" }),
      message: z.string().min(1).max(2000),
    }),
  ),
});

function toRule({ id, effect, when, message }: CodeRule): Rule {
  return {
    id,
    effect,
    message,
    test(facts) {
      const answer: unknown = when(facts);
      if (typeof answer !== "boolean") throw new TypeError("The rule did not answer with a boolean.");
      return { holds: answer ? "yes" : "no", why: "a rule in TypeScript" };
    },
  };
}

function fail(problem: string): never {
  throw new SandboxError("INVALID_OPTIONS", `definePolicy: ${problem}`);
}

/** @throws SandboxError INVALID_OPTIONS */
export function definePolicy(definition: PolicyDefinition): Policy {
  const parsed = definitionSchema.safeParse(definition);
  if (!parsed.success) return fail(describeProblems(parsed.error, definitionSchema, definition));
  const { name, rules } = parsed.data;
  const base = createPolicy(parsed.data.extends);
  const inherited = rulesOf(base);
  const taken = new Set([...RESERVED_RULE_IDS, ...inherited.map(({ id }) => id)]);
  for (const [index, { id }] of rules.entries()) {
    if (taken.has(id)) fail(`rules[${index}].id: expected an id of its own, got ${JSON.stringify(id)}`);
    taken.add(id);
  }
  const written = rules.map(({ id, effect, message, when }) => ({ id, effect, message, when: when.toString() }));
  return assemblePolicy(base.document, [...inherited, ...rules.map(toRule)], {
    name,
    readsManifest: true,
    digest: digestOf({ name, extends: base.digest, rules: written }),
  });
}
