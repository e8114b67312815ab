/**
 * The words in which the rules that decided are told, to a model that is refused and to a person who is asked.
 * One place for both, so that they say the same; decides nothing.
 */

import type { Decision, Effect, Reason } from "../types.ts";
import { listNames, type Names } from "./rule.ts";

/** A rule that decided. `names` and `doubt` only of a preset's rule: a document of somebody's own says what its author wrote. */
export interface Decisive {
  readonly rule: string;
  readonly effect: Effect;
  readonly message: string;
  /** Matched by what the code says, not by what could not be determined of it. */
  readonly isCertain: boolean;
  /** What was found that the rule is about. */
  readonly names?: Names | undefined;
  /** What could not be determined. */
  readonly doubt?: string | undefined;
}

/** A model corrects a few at a time. */
const MOST_REFUSED = 5;
/** Whoever approves has to know of all: what comes last may be the worst. As many as a manifest of everyday code ever holds. */
const MOST_ASKED = 100;

/** What begins a reason: the names come first, since what is told may be cut. */
function tellNames(effect: Effect, { told, untold }: Names): string {
  if (effect === "deny" && told.length > 0) return `Refused: ${listNames(told, MOST_REFUSED)}. `;
  if (effect !== "ask" || told.length + untold === 0) return "";
  const shown = told.length > 0 ? [listNames(told, MOST_ASKED)] : [];
  const others = untold === 1 ? "1 name that is not repeated here" : `${untold} names that are not repeated here`;
  return `Asked because of: ${[...shown, ...(untold > 0 ? [others] : [])].join(" and ")}. `;
}

function tellCertain({ rule, effect, message, names }: Decisive): Reason {
  return { rule, message: names === undefined ? message : tellNames(effect, names) + message };
}

/**
 * A rule's message says what to do about what was found, often by a long list. Of a mere doubt it would give a reason that the
 * program does not give; only where a model is refused for nothing else, it has no better help than that.
 */
function tellPossible({ rule, effect, message, doubt }: Decisive, isAlone: boolean): Reason {
  const isHelp = effect === "deny" && isAlone;
  const what = doubt === undefined || isHelp ? message : `${doubt}.`;
  return { rule, message: `This could not be ruled out: ${what}`, possible: true };
}

/** What can be acted on comes first: a rule that only could not be ruled out is not the cause to look for. */
export function tellReasons(decisive: readonly Decisive[]): Reason[] {
  const certain = decisive.filter(({ isCertain }) => isCertain);
  const possible = decisive.filter(({ isCertain }) => !isCertain);
  return [...certain.map(tellCertain), ...possible.map((one) => tellPossible(one, certain.length === 0))];
}

/**
 * Which of a decision's reasons are told, what is certain first: several policies may have given them. Whoever approves reads
 * the doubts as well; in a denial they are noise beside what is certain, and the receipt names every rule.
 */
export function reasonsToTell({ effect, reasons }: Pick<Decision, "effect" | "reasons">): Reason[] {
  const certain = reasons.filter(({ possible }) => possible !== true);
  if (effect === "deny" && certain.length > 0) return certain;
  return [...certain, ...reasons.filter(({ possible }) => possible === true)];
}
