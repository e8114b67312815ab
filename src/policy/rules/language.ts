/**
 * `language`: the language of the call.
 * For rules that mean something in one language only; it never stands in for `languages` of the document.
 */

import { z } from "zod";
import { LANGUAGES } from "../../languages.ts";
import { defineCondition, no, yes } from "../rule.ts";

export const language = defineCondition({
  schema: z.enum(LANGUAGES),
  readsManifest: false,
  test: (wanted, facts) => (facts.language === wanted ? yes : no)(`language: ${facts.language}`),
});
