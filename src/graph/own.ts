/**
 * The door of the private channels: they take what a node of this process wrote, and what a caller posts or patches
 * leaves them as they are. The door is where values come in, not the reducer: that also gets the writes of a node whose
 * process died before its checkpoint. Guards the door only: what a forged checkpoint brings in, the nodes do not believe.
 */

import { ReducedValue, StateSchema, type StateSchemaFields } from "@langchain/langgraph";
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
      // A string is no value of any of these channels, and stays what it is wherever it is stored.
      inputSchema: z.custom<Value>().overwrite((value) => (isOwn(value) ? value : (REFUSAL as never))),
      jsonSchemaExtra: z.toJSONSchema(schema, { unrepresentable: "any" }),
      reducer: (current, update) =>
        typeof update === "object" && (update !== null || initial === null) ? update : current,
    },
  );
}

/** What a caller may post, as input or with a command: other keys are dropped before they reach a channel. */
export class InputSchema<Fields extends StateSchemaFields> extends StateSchema<Fields> {
  // No #private: the schema is looked at through a proxy.
  private readonly keep: (key: string, value: unknown) => unknown;

  /** `keep`: what is stored of a value; the first checkpoint of a run holds its input as it came. */
  constructor(fields: Fields, keep: (key: string, value: unknown) => unknown) {
    super(fields);
    this.keep = keep;
  }

  override async validateInput<Data>(data: Data): Promise<Data> {
    if (data === null || typeof data !== "object") return super.validateInput(data);
    const known = Object.entries(data).flatMap(([key, value]) =>
      Object.hasOwn(this.fields, key) ? [[key, this.keep(key, value)] as const] : [],
    );
    return super.validateInput(Object.fromEntries(known) as Data);
  }
}
