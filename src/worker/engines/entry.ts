/**
 * One entry into an isolate under a deadline: the way in of both engines, with what it came to. Never throws.
 * Must not believe what was thrown: its text is the program's to forge.
 */

import type ivm from "isolated-vm";

/** Why an entry into the isolate did not come back with an answer. */
export type EntryEnd = { timeout: true } | { memoryLimit: true } | { thrown: unknown };

/** @param timeoutMs a whole number above 0 */
export function enterIsolate(
  isolate: ivm.Isolate,
  entry: Pick<ivm.Reference<(text: string | null) => string>, "applySync">,
  text: string | null,
  timeoutMs: number,
): string | EntryEnd {
  const deadline = performance.now() + timeoutMs;
  try {
    const answer: unknown = entry.applySync(undefined, [text], { timeout: timeoutMs });
    return typeof answer === "string" ? answer : { thrown: undefined };
  } catch (thrown) {
    // By our own clock and the isolate's own state.
    if (isolate.isDisposed) return { memoryLimit: true };
    return performance.now() >= deadline ? { timeout: true } : { thrown };
  }
}
