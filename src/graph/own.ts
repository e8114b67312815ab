/**
 * The door of the private channels: they take what a node of this process wrote, and what a caller posts or patches
 * leaves them as they are. Guards the door only: what a forged checkpoint brings in, the nodes do not believe either.
 */

import { ReducedValue } from "@langchain/langgraph";
import { z } from "zod";

const written = new WeakSet<object>();

/** Marks a value as written by a node; the channel knows it by identity. */
export function own<Value extends object | null>(value: Value): Value {
  if (value !== null) written.add(value);
  return value;
}

/** Null says that a run has not ended: whoever forges it, the model node counts for itself. */
function isOwn(value: unknown): boolean {
  return value === null || (typeof value === "object" && written.has(value));
}

const REFUSAL = "This state is private: it is written by the graph's own nodes only.";

/** A channel that holds a `Value`, starts as `initial`, and is written by nodes only. */
export function createOwnChannel<Value extends object | null>(schema: z.ZodType<Value>, initial: Value) {
  return new ReducedValue<Value, Value>(
    // An overwrite passes the reducer and comes to this schema instead.
    z
      .custom<Value>(isOwn, REFUSAL)
      .pipe(schema as z.ZodType<Value, Value>)
      .default(initial as never),
    {
      inputSchema: z.custom<Value>(),
      jsonSchemaExtra: z.toJSONSchema(schema, { unrepresentable: "any" }),
      reducer: (current, update) => (isOwn(update) && (update !== null || initial === null) ? update : current),
    },
  );
}
