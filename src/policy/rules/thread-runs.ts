/**
 * `threadRuns`: which run of the thread the call would be.
 * Believes the count that the graph works out; where no thread is known, nothing is known of its runs.
 */

import { z } from "zod";
import { defineCondition, no, unknown, yes } from "../rule.ts";

export const threadRuns = defineCondition({
  schema: z.strictObject({ over: z.int().min(0) }),
  readsManifest: false,
  test: ({ over }, { threadRuns }) => {
    if (threadRuns === undefined) return unknown("no thread whose runs could be counted");
    return (threadRuns + 1 > over ? yes : no)(`run ${threadRuns + 1} of the thread, at most ${over}`);
  },
});
