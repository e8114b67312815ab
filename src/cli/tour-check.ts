/**
 * Compares what was seen with what the tour says. The tour is a self-check: whatever differs makes it exit 1.
 * Reads observations only; prints nothing.
 */

import { isDeepStrictEqual } from "node:util";
import type { Observation } from "../types.ts";
import type { Expectation } from "./tour-steps.ts";

/** What differs, in a few words; undefined where all is as expected. */
export function findDifference(seen: Omit<Observation, "usage">, expected: Expectation): string | undefined {
  for (const [key, value] of Object.entries(expected)) {
    const actual = seen[key as keyof Expectation];
    if (!isDeepStrictEqual(actual, value))
      return `${key} is ${JSON.stringify(actual) ?? "absent"}, not ${JSON.stringify(value)}`;
  }
  return undefined;
}
