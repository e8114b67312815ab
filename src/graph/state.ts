/**
 * The state that passes through the graph: `messages` is all that a caller may post; the rest is private.
 * Shapes only. Nothing stored here allows anything: every node reads the messages again.
 */

import type { BaseMessage } from "@langchain/core/messages";
import { type Messages, ReducedValue, StateSchema, UntrackedValue } from "@langchain/langgraph";
import { z } from "zod";
import { LANGUAGES } from "../languages.ts";
import type { Outcome, Receipt } from "../types.ts";
import { admitInput, createAdmission, type Gate } from "./admit.ts";
import { createOwnChannel, InputSchema } from "./own.ts";
import type { SealedRecord } from "./records.ts";
import { NOTHING_SPENT, type Spent } from "./spent.ts";

const outcomeSchema: z.ZodType<Outcome | null> = z
  .object({
    kind: z
      .enum(["success", "cap", "answer", "no_calls", "cancelled"])
      .describe("success: every call of the turn was ok. answer: words, not calls. cap: the turns were used up."),
    turns: z.number().describe("Turns since the last human message."),
    observation: z.string().nullable().describe("The last observation as one line of JSON."),
  })
  .nullable()
  .describe("Why the graph ended; null while it has not.");

const receiptSchema: z.ZodType<Receipt> = z.object({
  callId: z.string(),
  tool: z.string(),
  language: z.enum(LANGUAGES).nullable(),
  turn: z.number(),
  sourceSha256: z.string().nullable(),
  engineSha256: z.string().nullable(),
  policy: z.string(),
  decision: z.enum(["allow", "deny", "ask"]).nullable(),
  wouldBe: z.enum(["allow", "deny", "ask"]).nullable(),
  rules: z.array(z.string()),
  approval: z
    .object({ answer: z.enum(["approve", "edit", "reject"]), approver: z.string(), tamperEvident: z.boolean() })
    .nullable(),
  status: z.string() as z.ZodType<Receipt["status"]>,
  usage: z.object({ wallMs: z.number(), cpuMs: z.number().nullable(), queueMs: z.number() }).nullable(),
  layers: z.array(z.string()),
});

/**
 * The development server shows a context's schema only for graphs whose state it does not take for a StateSchema, and
 * that it tells by the name of one method. LangGraph itself goes by a symbol, and calls the method all the same.
 */
function showContextToo<Schema extends object>(schema: Schema): Schema {
  return new Proxy(schema, { has: (target, key) => key !== "getInputJsonSchema" && Reflect.has(target, key) });
}

/** `context`: for the server to show; to TypeScript a context stays what it is for a parent, anybody's. */
export function createState(gate: Gate, context: z.ZodObject) {
  const messages = new ReducedValue(
    z.custom<BaseMessage[]>().default(() => []),
    {
      inputSchema: z.custom<Messages>(),
      reducer: createAdmission(gate),
      jsonSchemaExtra: { langgraph_type: "messages", description: "The conversation: all that a caller may post." },
    },
  );
  const outcome = createOwnChannel(outcomeSchema, null);
  const receipts = createOwnChannel(
    z.array(receiptSchema).describe("One for each answered call, the last ones of the thread."),
    [],
  );
  const spent: z.ZodType<Spent> = z.object({ runs: z.number(), timeMs: z.number() });
  const schemas = {
    state: showContextToo(
      new StateSchema({
        messages,
        calls: createOwnChannel(
          z
            .array(z.custom<SealedRecord>())
            .describe("Private: the calls of this turn, on their way through the nodes."),
          [],
        ),
        outcome,
        receipts,
        spent: createOwnChannel(spent.describe("Private: what the thread's runs have used."), NOTHING_SPENT),
        /** The last step that LangGraph allows in this run. Never stored: a thread counts its steps on. */
        lastStep: new UntrackedValue(z.number().describe("Private: the last step that LangGraph allows in this run.")),
      }),
    ),
    input: showContextToo(new InputSchema({ messages }, (_key, value) => admitInput(value, gate))),
    output: showContextToo(new StateSchema({ messages, outcome, receipts })),
  };
  return Object.assign<typeof schemas, object>(schemas, { context });
}

type Schemas = ReturnType<typeof createState>;
export type GraphState = Schemas["state"]["State"];
export type GraphUpdate = Schemas["state"]["Update"];
