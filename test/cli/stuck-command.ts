/**
 * The command with other code in place of every subcommand's: for how it ends, whatever a subcommand does.
 */

import type { CommandOptions, Ended } from "./command.ts";

const HOOKS = new URL("../fixtures/stuck-commands.mjs", import.meta.url);

/** @param body of the function that every subcommand is; it may use `closeOnExit` */
export function withBody(body: string): Pick<CommandOptions, "env"> {
  return { env: { NODE_OPTIONS: `--import=${HOOKS}`, STUCK_COMMAND: body } };
}

export const NEVER = "await new Promise(() => {});";

export const UNFINISHED: Ended = {
  code: 2,
  signal: null,
  stdout: "",
  stderr: "sallyport: the command did not finish: nothing was left for it to wait for\n",
};
