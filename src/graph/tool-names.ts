/**
 * The names of the tools that the model sees: one for each language, the same in every graph.
 * Names only; whether there is an engine for a language is the sandbox's to say.
 */

import type { Language } from "../types.ts";

export const TOOL_NAMES: Readonly<Record<Language, string>> = {
  javascript: "run_javascript_sandboxed",
  python: "run_python_sandboxed",
};

/** The tools that a sandbox with these languages can answer, by name. */
export function listTools(languages: readonly Language[]): ReadonlyMap<string, Language> {
  return new Map(languages.map((language) => [TOOL_NAMES[language], language]));
}
