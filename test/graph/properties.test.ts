/**
 * Any AI message at all: each of its ids is answered exactly once, nothing is raised, and what runs is what was valid.
 * Shapes come from fast-check; sandbox and policy are real.
 */

import type { BaseMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readArguments } from "../../src/graph/arguments.ts";
import { completeHistory } from "../../src/graph/history.ts";
import { readRawCalls } from "../../src/graph/raw-calls.ts";
import { listTools } from "../../src/graph/tool-names.ts";
import { readTurn, type TurnRules } from "../../src/graph/turn.ts";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { aiRaw, createListener, expectAnswered, human, TOOL, toolMessages } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const LIMITS = { argumentBytes: 65_536, sourceChars: 4000 };
const rules = (unknownTools: TurnRules["unknownTools"]): TurnRules => ({
  tools: listTools(["javascript"]),
  unknownTools,
  maxTurns: 3,
  maxCallsPerTurn: 8,
  limits: LIMITS,
});

const anyId = fc.oneof(
  fc.constantFrom("a", "b", "c", ""),
  fc.string(),
  fc.constant(undefined),
  fc.constant(null),
  fc.integer(),
);
const anyName = fc.oneof(
  fc.constant(TOOL),
  fc.constantFrom("other", "", "x\u202ey"),
  fc.constant(null),
  fc.integer(),
  fc.string(),
);
const anyArgs = fc.oneof(
  fc.record({ source: fc.constantFrom("1 + 1", "'x'", "null.x", "") }),
  fc.record({ source: fc.anything(), extra: fc.anything() }, { requiredKeys: [] }),
  fc.anything(),
);
const anyCall = fc.oneof(
  { weight: 8, arbitrary: fc.record({ id: anyId, name: anyName, args: anyArgs }) },
  { weight: 1, arbitrary: fc.anything() },
);
const anyInvalid = fc.record({
  id: anyId,
  name: anyName,
  args: fc.oneof(fc.string(), fc.json(), fc.anything()),
  error: fc.string(),
});
const anyRaw = fc.record({
  id: anyId,
  function: fc.record({ name: anyName, arguments: fc.oneof(fc.json(), fc.anything()) }),
});
const anyMessage = fc.record(
  {
    tool_calls: fc.array(anyCall, { maxLength: 5 }),
    invalid_tool_calls: fc.array(anyInvalid, { maxLength: 3 }),
    additional_kwargs: fc.record({ tool_calls: fc.array(anyRaw, { maxLength: 3 }) }, { requiredKeys: [] }),
    response_metadata: fc.record(
      { finish_reason: fc.constantFrom("stop", "length", "tool_calls") },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["tool_calls"] },
);

describe("whatever an AI message holds", () => {
  it("each of its calls is answered exactly once, behind a message that a provider takes back", {
    timeout: 120_000,
  }, async () => {
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox });
    await fc.assert(
      fc.asyncProperty(anyMessage, async (fields) => {
        const end = await graph.invoke({ messages: [human(), aiRaw(fields)] });
        expectAnswered(end);
        const told = toolMessages(end);
        expect(end.receipts?.map(({ callId }) => callId)).toEqual(told.map(({ tool_call_id }) => tool_call_id));
        for (const message of told) expect(String(message.content)).toMatch(/^\{"ok":(true|false),"status":"/);
      }),
      { numRuns: 150 },
    );
  });

  it('with unknownTools "leave" only ours are answered, each exactly once', { timeout: 120_000 }, async () => {
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, unknownTools: "leave" });
    await fc.assert(
      fc.asyncProperty(anyMessage, async (fields) => {
        const foreign = readRawCalls(fields).filter(({ givenName }) => givenName !== TOOL);
        const end = await graph.invoke({ messages: [human(), aiRaw(fields)] });
        const ids = toolMessages(end).map(({ tool_call_id }) => tool_call_id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const message of toolMessages(end)) expect(message.name).toBe(TOOL);
        const left = readRawCalls(end.messages?.[1]).filter(({ givenName }) => givenName !== TOOL);
        expect(left.length).toBe(foreign.length);
      }),
      { numRuns: 100 },
    );
  });

  it("a turn is read without a throw, and valid means the tool's own arguments", () => {
    fc.assert(
      fc.property(anyMessage, fc.constantFrom("reject" as const, "leave" as const), (fields, unknownTools) => {
        const turn = readTurn([human(), aiRaw(fields)], rules(unknownTools));
        const ids = turn.calls.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const { verdict, raw } of turn.calls) {
          if (!verdict.valid) continue;
          expect(raw.givenName).toBe(TOOL);
          expect(JSON.stringify(raw.text === undefined ? raw.args : JSON.parse(raw.text))).toBe(
            JSON.stringify({ source: verdict.source }),
          );
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("arguments", () => {
  it("are valid exactly where they are one object with one non-empty string", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string().map((source) => JSON.stringify({ source })),
          fc.string(),
        ),
        (text) => {
          const reading = readArguments({ text }, LIMITS);
          let parsed: unknown;
          try {
            parsed = JSON.parse(text);
          } catch {
            expect(reading.ok).toBe(false);
            return;
          }
          const isSource =
            typeof parsed === "object" &&
            parsed !== null &&
            !Array.isArray(parsed) &&
            Object.keys(parsed).join() === "source";
          const source = isSource ? (parsed as { source: unknown }).source : undefined;
          expect(reading.ok).toBe(
            typeof source === "string" && source.length > 0 && source.length <= LIMITS.sourceChars,
          );
          if (reading.ok) expect(reading.source).toBe(source);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("are read without a throw, and refused in at most 200 characters", () => {
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true }),
        fc.option(fc.string(), { nil: undefined }),
        (args, text) => {
          const reading = readArguments(text === undefined ? { args } : { args, text }, LIMITS);
          if (!reading.ok) expect(reading.message.length).toBeLessThanOrEqual(200);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe("a history", () => {
  it("of any order has every call answered right behind it, and no answer without a call", () => {
    const anyPart = fc.oneof(
      fc.constant("human"),
      fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }).map((ids) => ({ ai: [...new Set(ids)] })),
      fc.constantFrom("a", "b", "c").map((id) => ({ tool: id })),
    );
    fc.assert(
      fc.property(fc.array(anyPart, { maxLength: 20 }), (made) => {
        const messages = made.map((part): BaseMessage => {
          if (typeof part === "string") return human();
          if ("ai" in part)
            return aiRaw({ tool_calls: part.ai.map((id) => ({ type: "tool_call", id, name: TOOL, args: {} })) });
          return toolMessage(part.tool);
        });
        expectAnswered({ messages: completeHistory(messages) });
      }),
      { numRuns: 1000 },
    );
  });
});

function toolMessage(id: string): BaseMessage {
  const [message] = toolMessages({
    messages: completeHistory([aiRaw({ tool_calls: [{ type: "tool_call", id, name: TOOL, args: {} }] })]),
  });
  if (message === undefined) throw new Error("no answer was made");
  return message;
}
