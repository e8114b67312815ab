/**
 * The globals of which it is certain that the program neither replaces nor patches them.
 * Must run before any computed name is judged: the numeric inference rests on it.
 */

import type { Survey } from "./manifest-survey.ts";
import { memberName, type Syntax } from "./manifest-syntax.ts";
import { MATH_CONSTANTS, MATH_FUNCTIONS, NUMBER_FUNCTIONS } from "./manifest-vocabulary.ts";

export function findUntouched(survey: Survey, free: ReadonlySet<Syntax>, globalEscapes: boolean): Set<string> {
  const untouched = new Set(globalEscapes ? [] : [...NUMBER_FUNCTIONS, "Math", "Symbol"]);
  for (const { kind, name, node, parent } of survey.references) {
    if (!free.has(node)) continue;
    if (kind === "write") untouched.delete(name);
    if (name !== "Math") continue;
    // Under another name, or through a method that gives Math itself, it could be patched.
    const member = parent?.type === "MemberExpression" && parent.object === node ? parent : null;
    const read = member === null ? "" : (memberName(member.property, member.computed) ?? "");
    if (!MATH_FUNCTIONS.has(read) && !MATH_CONSTANTS.has(read)) untouched.delete("Math");
  }
  for (const { key, computed, object, write } of survey.accesses) {
    const name = memberName(key, computed);
    if (name === "Math") untouched.delete("Math");
    if (!write) continue;
    if (name !== null) untouched.delete(name);
    if (object?.type === "Identifier" && object.name === "Math") untouched.delete("Math");
  }
  return untouched;
}
