/**
 * Conditions on a list of names: one name that is among `anyOf` and not among `noneOf`.
 * Names match exactly or by prefix; there are no regular expressions, so that matching takes linear time.
 */

import { z } from "zod";
import type { Aspect, Facts } from "../types.ts";
import { matchesSome } from "./name-patterns.ts";
import { defineCondition, type Finding, nameSome, no, onManifest, unknown, yesFor } from "./rule.ts";

const entries = z.array(
  z
    .string()
    .min(1)
    .regex(/^[^*]*\*?$/, { error: "a name, or the beginning of one followed by *" }),
);

const nameListSchema = z
  .strictObject({
    anyOf: entries.min(1).optional(),
    noneOf: entries.optional(),
    unknown: z.enum(["match", "ignore"]).optional(),
  })
  .refine(({ anyOf, noneOf }) => anyOf !== undefined || noneOf !== undefined, { error: "anyOf, noneOf or both" });

type NameListCondition = z.output<typeof nameListSchema>;

/** What a program may have beside what the manifest names. */
const DOUBTS = {
  imports: "imports that are not written down in the program",
  globals: "global names that are not written down in the program",
  members: "members whose names are not written down in the program",
} as const;

function testNames(aspect: "imports" | "globals" | "members", condition: NameListCondition, facts: Facts): Finding {
  const { anyOf, noneOf } = condition;
  const found = onManifest(facts, (manifest) => {
    const names = manifest[aspect].filter(
      (name) =>
        (anyOf === undefined || matchesSome(name, anyOf)) && (noneOf === undefined || !matchesSome(name, noneOf)),
    );
    if (names.length > 0) return yesFor(aspect, names);
    if (manifest.undetermined.includes(aspect)) {
      return unknown(`${aspect}: some could not be determined`, DOUBTS[aspect]);
    }
    const all = manifest[aspect];
    return no(`${aspect}: ${all.length === 0 ? "none" : `only ${nameSome(all)}, which this rule is not about`}`);
  });
  return found.holds === "unknown" && condition.unknown === "ignore"
    ? no(`${found.why}, which this rule ignores`)
    : found;
}

export function defineNameList(aspect: Exclude<Aspect, "dynamicCode">) {
  return defineCondition({
    schema: nameListSchema,
    readsManifest: true,
    test: (condition, facts) => testNames(aspect, condition, facts),
  });
}
