/**
 * `privateAccess`: names and members that begin with an underscore, `constructor`, `__proto__` and kin.
 * Where members could not be determined, one of them may be private.
 */

import { z } from "zod";
import { defineCondition, no, onManifest, unknown, yesFor } from "../rule.ts";

export const privateAccess = defineCondition({
  schema: z.literal(true),
  readsManifest: true,
  test: (_wanted, facts) =>
    onManifest(facts, ({ privateAccess, undetermined }) => {
      if (privateAccess.length > 0) return yesFor("private", privateAccess);
      return undetermined.includes("members")
        ? unknown("private: a computed name may be", "private names that are not written down in the program")
        : no("private: none");
    }),
});
