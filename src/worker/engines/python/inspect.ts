/**
 * Says what a Python program mentions, without running it: by CPython's own parser, in an interpreter that runs no program.
 * What it cannot read in time is unknown, which counts as anything. A lower bound, never a boundary.
 */

import { createHash } from "node:crypto";
import { ASPECTS, blankManifest } from "../../../manifest.ts";
import type { Manifest } from "../../../types.ts";
import type { Output } from "../engine.ts";
import { createLoader, type PreparedPython } from "./isolate.ts";

/** Below what the host waits for an inspector. */
const TIMEOUT_MS = 1500;
const READING = { run: null, now: 0, seed: 0, memoryMb: 256, stdoutBytes: 0, stdoutLines: 0 };
const SILENT: Output = { line() {}, part() {}, truncated() {} };

/** What the parser in the isolate gives, or what is known without it; figures that need no parser are taken here. */
type Found = Partial<Omit<Manifest, "language" | "dialect" | "sourceChars" | "lines" | "sha256" | "complete">> &
  Pick<Manifest, "undetermined">;

function completeManifest(source: string, found: Found): Manifest {
  return {
    ...blankManifest("python", source),
    sha256: createHash("sha256").update(source, "utf8").digest("hex"),
    ...found,
    complete: found.undetermined.length === 0 && found.syntaxError === undefined,
  };
}

/** Loads an interpreter, and another one whenever a program has spoilt it. @throws Error where it cannot be loaded */
export async function createPythonInspector(): Promise<(source: string) => Manifest> {
  const loader = await createLoader();
  let interpreter: PreparedPython = loader.prepare();
  interpreter.ready();
  return (source) => {
    interpreter.ready();
    const answer = interpreter.enter({ source, ...READING }, TIMEOUT_MS, SILENT);
    if (typeof answer === "string" && answer.startsWith("I")) {
      return completeManifest(source, JSON.parse(answer.slice(1)) as Found);
    }
    interpreter.dispose();
    interpreter = loader.prepare();
    return completeManifest(source, { undetermined: [...ASPECTS] });
  };
}
