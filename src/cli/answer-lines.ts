/**
 * What `batch` and `graph` share: every line of standard input gets one line on standard output, in the same order.
 * Must not hold more than a window of lines, whatever their number.
 */

import { isatty } from "node:tty";
import { LIMITS } from "../limits.ts";
import type { SandboxOptions } from "../options.ts";
import { printJson } from "../protocol/json.ts";
import { mapInOrder } from "./flow.ts";
import { answerRefusal, LineRefusal } from "./line-record.ts";
import { type InputLine, readLines } from "./lines.ts";
import { createLineWriter } from "./output.ts";
import { createProgress } from "./progress.ts";
import { readStandardInput } from "./standard-input.ts";
import { keepMemorySteady } from "./steady-memory.ts";

/** Lines between being read and being written, for each that is worked on. */
const WINDOW_PER_WORKER = 4;

/** A sandbox for `concurrency` lines. Here the wait for a worker is of our own making, so it is no outcome of the line. */
export function sandboxForLines(concurrency: number): SandboxOptions {
  return { workers: concurrency, limits: { queueTimeoutMs: LIMITS.queueTimeoutMs.max } };
}

async function answerLine(line: InputLine, answer: (line: InputLine) => Promise<object>): Promise<string> {
  try {
    return printJson(await answer(line));
  } catch (error) {
    if (error instanceof LineRefusal) return printJson(answerRefusal(error));
    throw error;
  }
}

/** Prints `answer` of each line; a LineRefusal that it throws is an answer as well. Rejects with a fault. */
export async function answerLines(concurrency: number, answer: (line: InputLine) => Promise<object>): Promise<void> {
  if (isatty(0)) process.stderr.write("Reading JSON lines from the terminal: end with Ctrl-D.\n");
  keepMemorySteady();
  const output = createLineWriter(process.stdout);
  const progress = await createProgress();
  try {
    await mapInOrder(
      readLines(readStandardInput()),
      { concurrency, window: WINDOW_PER_WORKER * concurrency },
      (line) => answerLine(line, answer),
      async (text) => {
        await output.write(text);
        progress.advance();
      },
    );
  } finally {
    progress.stop();
  }
}
