/**
 * Decides one call: deny before ask before allow, and deny where no rule has a say.
 * Pure: the same facts give the same decision. A rule that fails denies; nothing here is a boundary.
 */

import { SandboxError } from "../errors.ts";
import type { Decision, Effect, Facts, Language, Permits } from "../types.ts";
import { digestOf } from "./digest.ts";
import { type PolicyDocument, type PolicyRule, parsePolicyDocument } from "./document.ts";
import { permitsOf } from "./permits.ts";
import { PRESETS } from "./presets.ts";
import { type Decisive, tellReasons } from "./reasons.ts";
import type { Finding } from "./rule.ts";
import { readsManifest, testWhen } from "./when.ts";

/** What one rule said of a call. */
export interface RuleResult {
  rule: string;
  effect: Effect;
  matched: boolean;
  why: string;
}

export interface Policy {
  readonly name: string;
  readonly document: PolicyDocument;
  /** False where a call can be decided without looking into its code. */
  readonly readsManifest: boolean;
  /** False where no rule can ask a person. */
  readonly mayAsk: boolean;
  /** SHA-256 over everything that decides. */
  readonly digest: string;
  evaluate(facts: Facts): Decision;
  /** Every rule, also those that had no say. */
  explain(facts: Facts): RuleResult[];
  /** What is left to the guest at run time. `approved`: by a person, so that what is asked about is left as well. */
  permits(language: Language, approved?: boolean): Permits;
}

/** A rule ready to be asked, from the document or from TypeScript. */
export interface Rule {
  readonly id: string;
  readonly effect: Effect;
  readonly message: string;
  /** Whether names and doubts are told beside the message: a preset's are, a document of somebody's own says what its author wrote. */
  readonly tellsNames?: boolean;
  test(facts: Facts): Finding;
}

type Result = RuleResult & Decisive;

/** Every policy made here, with its rules: nothing else counts as one. */
const rulesByPolicy = new WeakMap<object, readonly Rule[]>();

function fromDocument({ id, effect, message, when }: PolicyRule, tellsNames: boolean): Rule {
  return { id, effect, message, tellsNames, test: (facts) => testWhen(when, facts) };
}

function ask({ id, effect, message, tellsNames, test }: Rule, facts: Facts): Result {
  try {
    const { holds, why, names, doubt } = test(facts);
    const matched = holds === "yes" || (holds === "unknown" && effect !== "allow");
    const found = { rule: id, effect, matched, why, message, isCertain: holds === "yes" };
    return tellsNames ? { ...found, names, doubt } : found;
  } catch {
    const failure = `The policy rule "${id}" failed, so the call is refused.`;
    return {
      rule: id,
      effect: "deny",
      matched: true,
      why: "the rule threw an error",
      message: failure,
      isCertain: true,
    };
  }
}

/** What the document is not for is denied, whatever its rules say. */
function checkScope({ languages, tools }: PolicyDocument, { language, tool }: Facts): Result[] {
  const check = (rule: string, given: string, known: readonly string[]): Result => {
    const matched = !known.includes(given);
    const why = matched
      ? `${given} is not among ${known.join(", ")}`
      : `${given} is among those that the policy is for`;
    return {
      rule,
      effect: "deny",
      matched,
      why,
      message: `The policy is for these ${rule} only: ${known.join(", ")}.`,
      isCertain: true,
    };
  };
  return [check("languages", language, languages), check("tools", tool, tools)];
}

const NO_RULE = { rule: "default", message: "No rule of the policy allows this call." };

function decide(results: readonly Result[]): Decision {
  for (const effect of ["deny", "ask", "allow"] as const) {
    const decisive = results.filter((result) => result.matched && result.effect === effect);
    if (decisive.length > 0) return { effect, reasons: tellReasons(decisive) };
  }
  return { effect: "deny", reasons: [NO_RULE] };
}

function same(decision: Decision): Decision {
  return decision;
}

/** Under `dryRun` the decision is told and not enforced. */
function onlySay({ effect, reasons }: Decision): Decision {
  const message = `The policy is in dryRun: it would have said ${effect}.`;
  return { effect: "allow", reasons: [{ rule: "dry-run", message }], wouldBe: { effect, reasons } };
}

/** A policy of these rules, in the scope of `document`. The caller has seen to it that every rule's id is its own. */
export function assemblePolicy(
  document: PolicyDocument,
  rules: readonly Rule[],
  made: Pick<Policy, "name" | "readsManifest" | "digest">,
): Policy {
  const examine = (facts: Facts) => [...checkScope(document, facts), ...rules.map((rule) => ask(rule, facts))];
  const policy: Policy = Object.freeze({
    ...made,
    mayAsk: document.dryRun !== true && rules.some(({ effect }) => effect === "ask"),
    document,
    evaluate: (facts: Facts) => (document.dryRun === true ? onlySay : same)(decide(examine(facts))),
    explain: (facts: Facts) => examine(facts).map(({ rule, effect, matched, why }) => ({ rule, effect, matched, why })),
    permits: (language: Language, approved = false) => permitsOf(document, language, approved),
  });
  rulesByPolicy.set(policy, rules);
  return policy;
}

/** The rules of a policy, for one that extends it. */
export function rulesOf(policy: Policy): readonly Rule[] {
  return rulesByPolicy.get(policy) ?? [];
}

function isPolicy(source: unknown): source is Policy {
  return typeof source === "object" && source !== null && rulesByPolicy.has(source);
}

/** The address of the JSON Schema decides nothing. */
function withoutSchema({ $schema: _address, ...document }: PolicyDocument): object {
  return document;
}

/**
 * A policy from the name of a preset, a document, or a policy made earlier.
 * @throws SandboxError INVALID_OPTIONS
 */
export function createPolicy(source: unknown): Policy {
  if (isPolicy(source)) return source;
  if (typeof source === "string" && !PRESETS.has(source)) {
    const known = [...PRESETS.keys()].map((name) => `"${name}"`).join(", ");
    throw new SandboxError(
      "INVALID_OPTIONS",
      `policy: expected ${known}, a document or a policy, got ${JSON.stringify(source.slice(0, 40))}`,
    );
  }
  const isPreset = typeof source === "string";
  const document = parsePolicyDocument(isPreset ? PRESETS.get(source) : source);
  const rules = document.rules.map((rule) => fromDocument(rule, isPreset));
  return assemblePolicy(document, rules, {
    name: document.name,
    readsManifest: document.rules.some(({ when }) => readsManifest(when)),
    digest: digestOf(withoutSchema(document)),
  });
}
