/**
 * `dynamicCode`: ways of making code from text that the code mentions; all of them, or all but those that are named.
 * A deny rule of this key alone is enforced at run time as well: see `permits` in `evaluate.ts`.
 */

import { z } from "zod";
import { defineCondition, nameSome, no, onManifest, unknown, yesFor } from "../rule.ts";

/** Python's `eval` of a text known only at run time: where dynamic code is denied, the guest's `eval` does arithmetic. */
export const EVAL_OF_EXPRESSION = "eval(expression)";

const schema = z.union([z.literal(true), z.strictObject({ noneOf: z.array(z.string().min(1)).min(1) })]);

type DynamicCodeCondition = z.output<typeof schema>;

/** The inspector's words where they are not for everybody to understand. */
const TOLD: ReadonlyMap<string, string> = new Map([
  [EVAL_OF_EXPRESSION, "eval"],
  ["annotations", "annotations, which may be run as code (get_type_hints, singledispatch, dataclass and kin)"],
]);

function spares(wanted: DynamicCodeCondition, name: string): boolean {
  return wanted !== true && wanted.noneOf.includes(name);
}

/** Whether the condition lets nothing pass that could make code at run time. */
export function sparesNoCode(wanted: DynamicCodeCondition): boolean {
  return wanted === true || wanted.noneOf.every((name) => name === EVAL_OF_EXPRESSION);
}

export const dynamicCode = defineCondition({
  schema,
  readsManifest: true,
  test: (wanted, facts) =>
    onManifest(facts, ({ dynamicCode, undetermined }) => {
      const found = dynamicCode.filter((name) => !spares(wanted, name));
      if (found.length > 0) return yesFor("code from text", found, TOLD);
      if (undetermined.includes("dynamicCode")) {
        return unknown("code from text: undetermined", "code made from text in a way that is not written down");
      }
      return no(`code from text: ${dynamicCode.length > 0 ? `only ${nameSome(dynamicCode)}` : "none"}`);
    }),
});
