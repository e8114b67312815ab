/**
 * `threadMs`: real time that the runs of the thread have used before the call, in milliseconds.
 * Believes the sum that the graph works out; where no thread is known, nothing is known of its time.
 */

import { z } from "zod";
import { defineCondition, no, unknown, yes } from "../rule.ts";

export const threadMs = defineCondition({
  schema: z.strictObject({ over: z.int().min(0) }),
  readsManifest: false,
  test: ({ over }, { threadMs }) => {
    if (threadMs === undefined) return unknown("no thread whose time could be summed up");
    return (threadMs > over ? yes : no)(`${Math.round(threadMs)} ms used in the thread, at most ${over}`);
  },
});
