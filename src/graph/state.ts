/**
 * The state that passes through the graph: `messages` is all that a caller may post; the rest is private.
 * Shapes only. Nothing stored here allows anything: every node reads the messages again.
 */

import type { BaseMessage } from "@langchain/core/messages";
import { type Messages, ReducedValue, StateSchema, UntrackedValue } from "@langchain/langgraph";
import { z } from "zod";
import type { Outcome, Receipt } from "../types.ts";
import { createAdmission, type IsOurs } from "./admit.ts";
import { createOwnChannel } from "./own.ts";
import type { SealedRecord } from "./records.ts";
import { NOTHING_SPENT, type Spent } from "./spent.ts";

const outcomeSchema: z.ZodType<Outcome | null> = z
  .object({
    kind: z.enum(["success", "cap", "answer", "no_calls", "cancelled"]),
    turns: z.number(),
    observation: z.string().nullable(),
  })
  .nullable();

const receiptSchema: z.ZodType<Receipt> = z.object({
  callId: z.string(),
  tool: z.string(),
  language: z.enum(["javascript", "python"]).nullable(),
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

export function createState(isOurs: IsOurs) {
  const messages = new ReducedValue(
    z.custom<BaseMessage[]>().default(() => []),
    {
      inputSchema: z.custom<Messages>(),
      reducer: createAdmission(isOurs),
      jsonSchemaExtra: { langgraph_type: "messages", description: "A list of chat messages" },
    },
  );
  const outcome = createOwnChannel(outcomeSchema, null);
  const receipts = createOwnChannel(z.array(receiptSchema), []);
  const spent: z.ZodType<Spent> = z.object({ runs: z.number(), timeMs: z.number() });
  return {
    state: new StateSchema({
      messages,
      calls: createOwnChannel(z.array(z.custom<SealedRecord>()), []),
      outcome,
      receipts,
      /** What the thread's runs have used. */
      spent: createOwnChannel(spent, NOTHING_SPENT),
      /** The last step that LangGraph allows in this run. Never stored: a thread counts its steps on. */
      lastStep: new UntrackedValue(z.number()),
    }),
    input: new StateSchema({ messages }),
    output: new StateSchema({ messages, outcome, receipts }),
  };
}

type Schemas = ReturnType<typeof createState>;
export type GraphState = Schemas["state"]["State"];
export type GraphUpdate = Schemas["state"]["Update"];
