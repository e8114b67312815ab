/**
 * `dynamicCode`: ways of making code from text that the code mentions.
 * A deny rule of this key alone is enforced at run time as well: see `permits` in `evaluate.ts`.
 */

import { z } from "zod";
import { defineCondition, nameSome, no, onManifest, unknown, yes } from "../rule.ts";

export const dynamicCode = defineCondition({
  schema: z.literal(true),
  readsManifest: true,
  test: (_wanted, facts) =>
    onManifest(facts, ({ dynamicCode, undetermined }) => {
      if (dynamicCode.length > 0) return yes(`code from text: ${nameSome(dynamicCode)}`);
      return undetermined.includes("dynamicCode")
        ? unknown("code from text: undetermined")
        : no("code from text: none");
    }),
});
