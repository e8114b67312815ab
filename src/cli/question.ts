/**
 * Tells a question to a model from a mistyped command: only what is plainly a question may cost money.
 * Asks nobody; what is no question is wrong use, with the command that was probably meant.
 */

import { Command, CommanderError } from "commander";
import { UsageError } from "./fault.ts";

/** White space, a question mark, or a script that may write questions without either. */
const PLAINLY_A_QUESTION = /[\s?]|[^\p{ASCII}]/u;

/** "(Did you mean inspect?)", where one of `names` is near; commander knows which. */
export function suggestName(word: string, names: readonly string[]): string {
  if (!/^[a-z][a-z-]{0,39}$/i.test(word)) return "";
  const lookup = new Command()
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  for (const name of names) lookup.command(name);
  try {
    lookup.parse([word], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return /\(Did you mean [^)]*\)/.exec(error.message)?.[0] ?? "";
    throw error;
  }
  return "";
}

/**
 * The question that `words`, the arguments without options, are.
 * @throws UsageError where they are none
 */
export function readQuestion(words: readonly string[], commands: readonly Command[]): string {
  const [word = ""] = words;
  if (words.length === 1 && PLAINLY_A_QUESTION.test(word.trim())) return word;
  const names = commands.map((command) => command.name());
  const advice = `a question is one argument in quotes, of more than one word; the commands are ${names.join(", ")}`;
  const given = JSON.stringify(word.slice(0, 40));
  const suggestion = suggestName(word, names);
  throw new UsageError(`there is no command ${given}${suggestion === "" ? "" : ` ${suggestion}`}: ${advice}`);
}
