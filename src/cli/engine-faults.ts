/**
 * What `batch` and `graph` make of a language that cannot start on this machine: its lines are answered, the others go on.
 * Must not hide it: standard error says why, once, and the command ends as it does where something is missing.
 */

import { SandboxError } from "../errors.ts";
import { unavailable } from "../graph/refusals.ts";
import type { Language, Observation } from "../types.ts";
import { EXIT, reportFault } from "./fault.ts";

const NAMES: Readonly<Record<Language, string>> = { javascript: "JavaScript", python: "Python" };

export interface EngineFaults {
  /** What a line is told whose language cannot start. Throws any other error on. */
  answer(error: unknown, language?: Language): Observation;
  /** Of a command that has answered every line. */
  exitCode(): number;
}

export function createEngineFaults(): EngineFaults {
  const told = new Set<string>();
  return {
    answer(error, language) {
      if (!(error instanceof SandboxError) || error.code !== "ENGINE_UNAVAILABLE") throw error;
      if (!told.has(error.message)) reportFault(error);
      told.add(error.message);
      // An observation names no path of this machine; the fault may.
      const what = language === undefined ? "The language of a call" : NAMES[language];
      return unavailable(`${what} cannot start on this machine: the program did not run. Standard error says why.`);
    },
    exitCode: () => (told.size === 0 ? EXIT.ok : EXIT.fault),
  };
}
