/**
 * `sourceChars`: the length of the program in characters.
 * Counts the source of the call itself: a program that does not parse has a length, too.
 */

import { z } from "zod";
import { defineCondition, no, yes } from "../rule.ts";

export const sourceChars = defineCondition({
  schema: z.strictObject({ over: z.int().min(0) }),
  readsManifest: false,
  test: ({ over }, { source }) => (source.length > over ? yes : no)(`${source.length} characters, at most ${over}`),
});
