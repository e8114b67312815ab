/**
 * One run of an engine that always comes to an outcome: an exception of our own code ends the run, not the worker.
 * Tells nothing of the exception to the host: its text may be the program's.
 */

import { inspect } from "node:util";
import type { RunMessage } from "../protocol/messages.ts";
import type { Engine, EngineOutcome, Output } from "./engines/engine.ts";

/** Never throws. What the engine held is discarded by the `renew` that follows every run. */
export function runSafely(engine: Engine, message: RunMessage, output: Output): EngineOutcome {
  try {
    return engine.run(message, output);
  } catch (error) {
    process.stderr.write(`The engine failed: ${inspect(error)}\n`);
    return { status: "error", error: "EngineError", message: "The engine could not finish this run." };
  }
}
