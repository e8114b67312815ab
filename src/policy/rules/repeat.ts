/**
 * `repeat`: the identical program has failed before, since the last human message.
 * Believes the count that the graph works out from the messages; keeps no state of its own.
 */

import { z } from "zod";
import { defineCondition, no, yes } from "../rule.ts";

export const repeat = defineCondition({
  schema: z.strictObject({ failures: z.int().min(1) }),
  readsManifest: false,
  test: ({ failures }, { identicalFailures }) =>
    (identicalFailures >= failures ? yes : no)(`the same program failed ${identicalFailures} times, of ${failures}`),
});
