/**
 * `nesting`: how deep blocks and brackets stand in each other.
 * Reads the manifest's figure, which is exact where the program parses.
 */

import { z } from "zod";
import { defineCondition, no, onManifest, yes } from "../rule.ts";

export const nesting = defineCondition({
  schema: z.strictObject({ over: z.int().min(0) }),
  readsManifest: true,
  test: ({ over }, facts) =>
    onManifest(facts, ({ nesting }) => (nesting > over ? yes : no)(`nested ${nesting} deep, at most ${over}`)),
});
