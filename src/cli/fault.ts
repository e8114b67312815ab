/**
 * Turns whatever was thrown into one clear sentence for a person, and holds the exit codes.
 * Never shows a stack trace unless SALLYPORT_DEBUG asks for it, and never prints a key that a server echoed.
 */

import { InspectionError, SandboxError } from "../errors.ts";
import { hideSecrets } from "../secrets.ts";
import { indentLines, toPrintable } from "./printable.ts";

/** 0: what was asked for went well. 1: it ended, but not well. 2: wrong use, or a fault of the operator. */
export const EXIT = { ok: 0, notOk: 1, fault: 2 } as const;

/** Wrong use of the command line: says what was expected, what was found, what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command waits, and there is nothing left in this process that could end its wait. */
export class UnfinishedError extends Error {
  override readonly name = "UnfinishedError";
  constructor() {
    super("the command did not finish: nothing was left for it to wait for");
  }
}

const LONGEST_SENTENCE = 600;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function adviceFor(error: unknown): string {
  const explained = [SandboxError, InspectionError, UsageError, UnfinishedError];
  if (explained.some((kind) => error instanceof kind)) return "";
  // By name: the class is the graph's, and loading that takes longer than most commands.
  if (error instanceof Error && error.name === "ModelError") {
    return " (check OPENAI_API_KEY, OPENAI_BASE_URL and SALLYPORT_MODEL)";
  }
  return " (unexpected; set SALLYPORT_DEBUG=1 to see where it comes from)";
}

const withoutSecrets = (text: string): string => hideSecrets(text, [process.env.OPENAI_API_KEY]);

/** The fault as one line, with every secret of the environment taken out. */
export function describeFault(error: unknown): string {
  let text = withoutSecrets(messageOf(error)).replace(/\s+/g, " ").trim() || "unknown fault";
  if (text.length > LONGEST_SENTENCE) text = `${text.slice(0, LONGEST_SENTENCE)}…`;
  return `sallyport: ${toPrintable(text)}${adviceFor(error)}`;
}

/** Prints the fault on stderr and returns the exit code for it. */
export function reportFault(error: unknown): number {
  process.stderr.write(`${describeFault(error)}\n`);
  if (process.env.SALLYPORT_DEBUG && error instanceof Error) {
    const details = [error.stack ?? "", ...(error.cause === undefined ? [] : [`caused by: ${messageOf(error.cause)}`])];
    const lines = details.flatMap((text) => indentLines(withoutSecrets(text), "  "));
    process.stderr.write(`${lines.join("\n")}\n`);
  }
  return EXIT.fault;
}
