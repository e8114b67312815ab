#!/usr/bin/env node
/**
 * The command: runs the program, turns a fault into one sentence and an exit code, and ends the process.
 * Must not import anything heavy: `--help` and a mistyped option answer at once.
 */

import { NO_CONTAINMENT } from "../errors.ts";
import { EXIT, reportFault, UnfinishedError } from "./fault.ts";
import { OutputClosed } from "./output.ts";
import { runProgram } from "./program.ts";
import { endProcess, isEndingBySignal, watchCommand } from "./shutdown.ts";

function onFault(error: unknown): void {
  if (isEndingBySignal()) return;
  // Whoever reads our output has enough of it (`… | head`): that is no fault.
  const code = error instanceof OutputClosed ? EXIT.ok : reportFault(error);
  void endProcess(code);
}

// Until the command has come to its end, whatever ends the process ends it without one: Node itself would call that a success.
process.exitCode = EXIT.fault;
process.once("beforeExit", () => onFault(new UnfinishedError()));

process.on("uncaughtException", onFault);
process.on("unhandledRejection", onFault);
// Faults of stdout reach those who write to it; without a listener Node would print a stack.
process.stdout.on("error", (error) => {
  if ((error as NodeJS.ErrnoException).code === "EPIPE") onFault(new OutputClosed("EPIPE"));
  else onFault(error);
});
process.stderr.on("error", () => {});

// Node would print a warning with its process id and a hint at its own options: here it is a sentence for whoever watches.
// That there is no containment is for those as well who read stderr later, or never see anything but a log.
process.removeAllListeners("warning");
process.on("warning", ({ message, code }: Error & { code?: string }) => {
  const isForAll = code === NO_CONTAINMENT;
  if (isForAll || process.stderr.isTTY) process.stderr.write(`sallyport: ${message.replace(/\s+/g, " ")}\n`);
});
const running = runProgram(process.argv.slice(2));
watchCommand(running);
running.then(endProcess, onFault);
