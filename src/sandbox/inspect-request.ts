/**
 * A caller's request to inspect, and whatever else a caller may have put beside a request: checked before a worker is asked.
 * Starts nothing; what is wrong is the caller's fault, and thrown in the same words as for a run.
 */

import { SandboxError } from "../errors.ts";
import { A_LANGUAGE } from "../languages.ts";
import { LIMITS } from "../limits.ts";
import { showValue } from "../options-check.ts";
import type { InspectRequest } from "../types.ts";

/** No limit of a call can be set higher. */
const MAX_SOURCE_CHARS = LIMITS.sourceChars.max;
const KEYS: readonly string[] = ["language", "source", "signal"];

function fail(problem: string): never {
  throw new SandboxError("INVALID_OPTIONS", `inspect: ${problem}`);
}

/** @throws SandboxError INVALID_OPTIONS */
export function checkInspectRequest(request: InspectRequest): InspectRequest {
  if (typeof request !== "object" || request === null) fail(`request: expected an object, got ${showValue(request)}`);
  const unknown = Object.keys(request).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) fail(`unknown option ${unknown}; there are ${KEYS.join(", ")}`);
  const { language, source, signal } = request;
  if (language !== "javascript" && language !== "python") {
    fail(`language: expected ${A_LANGUAGE}, got ${showValue(language)}`);
  }
  if (typeof source !== "string") fail(`source: expected a string, got ${showValue(source)}`);
  if (source.length > MAX_SOURCE_CHARS) {
    fail(`source: expected at most ${MAX_SOURCE_CHARS} characters, which no program may exceed, got ${source.length}`);
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    fail(`signal: expected an AbortSignal, got ${showValue(signal)}`);
  }
  return request;
}

/**
 * A request is one object. Options beside it would be dropped without a word; what `Array.map` passes along is no option.
 * @throws SandboxError INVALID_OPTIONS
 */
export function refuseFurther(call: "run" | "execute" | "inspect", further: readonly unknown[]): void {
  const [given] = further;
  if (typeof given !== "object" || given === null) return;
  const keys = Object.keys(given).slice(0, 5).join(", ") || "none";
  throw new SandboxError(
    "INVALID_OPTIONS",
    `${call}: expected one argument, the request; what stands in the second one (${keys}) belongs into it`,
  );
}
