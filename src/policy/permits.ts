/**
 * What a policy takes away from the guest at run time: the same rules once more, where there is no manifest to hide from.
 * Reads documents only: a rule in TypeScript decides about calls and takes nothing away.
 */

import type { Language, Permits } from "../types.ts";
import type { PolicyDocument, PolicyRule } from "./document.ts";
import { commonPatterns } from "./name-patterns.ts";
import { sparesNoCode } from "./rules/dynamic-code.ts";
import type { ConditionKey } from "./rules/index.ts";
import { appliesAlways } from "./when.ts";

/** The modules that all of these rules leave; undefined where they leave every module. JavaScript has none. */
function modulesOf(rules: readonly PolicyRule[], language: Language): readonly string[] | undefined {
  if (language === "javascript") return undefined;
  const lists = rules.flatMap(({ when: { imports } }) =>
    imports?.anyOf === undefined && imports?.noneOf !== undefined ? [imports.noneOf] : [],
  );
  return lists.length > 0 ? commonPatterns(lists) : undefined;
}

/** `approved`: a person has looked at the call, so that what is only asked about is not taken away. */
export function permitsOf({ rules, builtins, dryRun }: PolicyDocument, language: Language, approved: boolean): Permits {
  if (dryRun === true) return { dynamicCode: true };
  const effects = approved ? (["deny"] as const) : (["deny", "ask"] as const);
  const rulesOn = (key: ConditionKey) =>
    rules.filter((rule) => effects.some((effect) => appliesAlways(rule, effect, key, language)));
  const globals = builtins?.[language];
  const modules = modulesOf(rulesOn("imports"), language);
  const dynamicCode = !rulesOn("dynamicCode").some(({ when }) => sparesNoCode(when.dynamicCode ?? true));
  return { dynamicCode, ...(globals !== undefined && { globals }), ...(modules !== undefined && { modules }) };
}
