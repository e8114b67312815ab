/**
 * Finds out what a policy refuses by asking it about made-up calls: rules in TypeScript are found out like any other.
 * Runs nothing; a made-up call is evaluated only, and is harmless in every other respect.
 */

import { blankManifest } from "../manifest.ts";
import type { Effect, Facts, Language, Manifest } from "../types.ts";
import type { PolicyRule } from "./document.ts";
import type { Policy } from "./evaluate.ts";
import { EVAL_OF_EXPRESSION } from "./rules/dynamic-code.ts";
import type { ConditionKey } from "./rules/index.ts";
import { appliesAlways } from "./when.ts";

export interface LearnedRules {
  /** Of a call that there is nothing to say against. */
  readonly effect: Effect;
  /** Modules of which the policy knows that they may be imported, or any. */
  readonly modules: readonly string[] | "any";
  /** The only global names, where there is such a list. */
  readonly globals: readonly string[] | null;
  /** The longest program, where the policy has a limit of its own. */
  readonly sourceChars: number | null;
  /** Keys of `when` about which a person is asked. */
  readonly asksAbout: readonly ConditionKey[];
  /** What a thread may use, where there is a budget: the smallest of each kind. */
  readonly budgets: { runs: number | null; timeMs: number | null };
  readonly allows: { dynamicCode: boolean; arithmetic: boolean; privateNames: boolean; computedNames: boolean };
}

const UNLISTED_MODULE = "a_module_that_no_policy_lists";

function makeFacts(policy: Policy, language: Language, manifest: Partial<Manifest>, source = ""): Facts {
  const { tools } = policy.document;
  const tool = tools.find((name) => name.includes(language)) ?? tools[0] ?? "";
  return {
    tool,
    language,
    source,
    manifest: { ...blankManifest(language, source), complete: manifest.undetermined === undefined, ...manifest },
    identicalFailures: 0,
    threadRuns: 0,
    threadMs: 0,
  };
}

/** Every module that a rule names. */
function modulesNamedBy(policy: Policy): string[] {
  const names = policy.document.rules.flatMap(({ when: { imports } }) => [
    ...(imports?.anyOf ?? []),
    ...(imports?.noneOf ?? []),
  ]);
  return [...new Set(names.map((name) => name.replace(/\.?\*$/, "")))].filter((name) => name !== "");
}

function isFor({ when }: PolicyRule, language: Language): boolean {
  return when.language === undefined || when.language === language;
}

function findAsking({ document, mayAsk }: Policy, language: Language): ConditionKey[] {
  const asking = document.rules.filter((rule) => mayAsk && rule.effect === "ask" && isFor(rule, language));
  const keys = asking.flatMap(({ when }) => Object.keys(when) as ConditionKey[]);
  return [...new Set(keys)].filter((key) => key !== "language");
}

/** The smallest budget of a deny rule that is about it alone. */
function findBudget({ document }: Policy, key: "threadRuns" | "threadMs", language: Language): number | null {
  const budgets = document.rules.flatMap((rule) => {
    const isAlone = document.dryRun !== true && appliesAlways(rule, "deny", key, language);
    return isAlone && rule.when[key] !== undefined ? [rule.when[key].over] : [];
  });
  return budgets.length === 0 ? null : Math.min(...budgets);
}

export function learnRules(policy: Policy, language: Language): LearnedRules {
  const allows = (manifest: Partial<Manifest>, source?: string) =>
    policy.evaluate(makeFacts(policy, language, manifest, source)).effect !== "deny";
  const effect = policy.evaluate(makeFacts(policy, language, {})).effect;
  const canImport = (name: string) => allows({ imports: [name] });
  const lengths = policy.document.rules.flatMap(({ when }) => when.sourceChars?.over ?? []).sort((a, b) => a - b);
  const permits = policy.permits(language, true);
  return {
    effect,
    modules: canImport(UNLISTED_MODULE) ? "any" : modulesNamedBy(policy).filter(canImport),
    globals: permits.globals ?? null,
    sourceChars: lengths.find((over) => over < 1_000_000 && !allows({}, " ".repeat(over + 1))) ?? null,
    asksAbout: findAsking(policy, language),
    budgets: { runs: findBudget(policy, "threadRuns", language), timeMs: findBudget(policy, "threadMs", language) },
    allows: {
      dynamicCode: permits.dynamicCode && allows({ dynamicCode: ["eval"] }),
      arithmetic: permits.globals === undefined && allows({ dynamicCode: [EVAL_OF_EXPRESSION] }),
      privateNames: allows({ privateAccess: ["_name"] }),
      computedNames: allows({ undetermined: ["members"] }),
    },
  };
}
