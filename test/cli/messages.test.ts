/**
 * The decoder of messages: both forms, malformed calls kept raw, and no other end than messages or a typed refusal.
 * No graph: what becomes of a malformed call is the graph's to test.
 */

import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MessageRefusal } from "../../src/cli/message-calls.ts";
import { encodeMessage } from "../../src/cli/message-output.ts";
import { decodeMessages } from "../../src/cli/messages.ts";
import { messageLike } from "./message-like.ts";

const TOOL = "run_javascript_sandboxed";

function decodeAi(message: object): AIMessage {
  const [decoded] = decodeMessages([message]);
  if (!AIMessage.isInstance(decoded)) throw new Error("no AI message");
  return decoded;
}

beforeEach(() => {
  vi.spyOn(console, "warn");
});

afterEach(() => {
  // LangChain warns, on the console of whoever embeds it, of calls that it had to parse itself.
  expect(console.warn).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

describe("OpenAI form", () => {
  it("becomes the four kinds of message", () => {
    const messages = decodeMessages([
      { role: "system", content: "be brief" },
      { role: "developer", content: "be very brief" },
      { role: "user", content: [{ type: "text", text: "hi" }], name: "ada" },
      { role: "assistant", content: null, refusal: null },
      { role: "tool", tool_call_id: "c1", content: "42" },
    ]);
    expect(messages.map((message) => message.type)).toEqual(["system", "system", "human", "ai", "tool"]);
    expect((messages[4] as ToolMessage).tool_call_id).toBe("c1");
  });

  it("keeps the text of the arguments beside what it parses to", () => {
    const text = '{"source":"1","source":"2"}';
    const call = { id: "c1", type: "function", function: { name: TOOL, arguments: text } };
    const message = decodeAi({ role: "assistant", content: "", tool_calls: [call] });
    expect(message.tool_calls).toEqual([{ type: "tool_call", id: "c1", name: TOOL, args: { source: "2" } }]);
    expect(message.additional_kwargs.tool_calls).toEqual([call]);
  });

  it.each([
    ["cut off", '{"source": "1'],
    ["no object", '"1"'],
    ["a list", "[]"],
    ["null", "null"],
    ["empty", ""],
    ["a revivable object", '{"lc":1,"type":"constructor","id":["x"],"kwargs":{}}'],
    ["a prototype", '{"__proto__":{"approved":true},"source":"1"}'],
  ])("keeps arguments that are %s raw, as an invalid call", (_what, text) => {
    const call = { id: "c1", type: "function", function: { name: TOOL, arguments: text } };
    const message = decodeAi({ role: "assistant", content: "", tool_calls: [call] });
    expect(message.tool_calls).toEqual([]);
    expect(message.invalid_tool_calls).toMatchObject([{ id: "c1", name: TOOL, args: text }]);
    expect(message.additional_kwargs.tool_calls).toEqual([call]);
  });

  it.each([[undefined], [{ source: "1" }], [5]])("takes arguments that are no text (%j) for invalid", (given) => {
    const call = { id: "c1", type: "function", function: { name: TOOL, arguments: given } };
    const message = decodeAi({ role: "assistant", content: "", tool_calls: [call] });
    expect(message.tool_calls).toEqual([]);
    expect(message.invalid_tool_calls).toHaveLength(1);
  });
});

describe("LangChain form", () => {
  it("carries calls as they are given, whatever their types", () => {
    const message = decodeAi({
      type: "ai",
      id: "m1",
      content: "",
      tool_calls: [
        { id: "c1", name: null, args: { source: "1" } },
        { id: 5, name: TOOL },
      ],
      invalid_tool_calls: [{ id: "c3", name: TOOL, args: '{"source": "1+', error: "Malformed" }],
      response_metadata: { finish_reason: "length", output_version: "v1" },
    });
    expect(message.id).toBe("m1");
    expect(message.tool_calls).toMatchObject([
      { id: "c1", name: null, args: { source: "1" } },
      { id: 5, name: TOOL },
    ]);
    expect(message.invalid_tool_calls).toMatchObject([{ id: "c3", args: '{"source": "1+' }]);
    expect(message.response_metadata).toEqual({ finish_reason: "length" });
  });

  it("keeps the text of a streamed call, not only the repair of it", () => {
    const message = decodeAi({
      type: "ai",
      content: "",
      tool_calls: [{ id: "c1", name: TOOL, args: { source: "rm" } }],
      tool_call_chunks: [
        { index: 0, id: "c1", name: TOOL, args: '{"source":' },
        { index: 0, args: '"rm' },
      ],
    });
    expect(message.additional_kwargs.tool_calls).toEqual([
      { id: "c1", type: "function", function: { name: TOOL, arguments: '{"source":"rm' } },
    ]);
  });

  it("does not take parts of the content for calls", () => {
    const content = [{ type: "tool_use", id: "c1", name: TOOL, input: { source: "1" } }];
    expect(decodeAi({ type: "ai", content, tool_calls: [] }).tool_calls).toEqual([]);
  });
});

describe("what cannot be carried is refused", () => {
  const user = { role: "user", content: "hi" };
  it.each<[string, unknown]>([
    ["no array", {}],
    ["no object", [5]],
    ["no role", [{ content: "hi" }]],
    ["an unknown role", [{ role: "root", content: "hi" }]],
    ["a role from the prototype", [{ role: "constructor", content: "hi" }]],
    ["two roles", [{ role: "user", type: "ai", content: "hi" }]],
    ["a removal", [{ type: "remove", id: "__remove_all__", content: "" }]],
    ["no content", [{ role: "user" }]],
    ["content of numbers", [{ role: "user", content: [5] }]],
    ["a part without a type", [{ role: "user", content: [{ text: "hi" }] }]],
    ["a tool message without a call", [{ role: "tool", content: "42" }]],
    ["an id that is no text", [{ ...user, id: 5 }]],
    [
      "two messages with one id",
      [
        { ...user, id: "a" },
        { ...user, id: "a" },
      ],
    ],
    ["calls that are no array", [{ role: "assistant", tool_calls: {} }]],
    ["calls that are no objects", [{ role: "assistant", tool_calls: [null] }]],
    ["the old form of a call", [{ role: "assistant", function_call: { name: TOOL, arguments: "{}" } }]],
    [
      "a serialised object",
      [{ lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs: {} }],
    ],
    [
      "a serialised object deep inside",
      [{ type: "ai", tool_calls: [{ id: "c", name: TOOL, args: { a: [{ lc: 1 }] } }] }],
    ],
    ["a prototype deep inside", [{ type: "ai", tool_calls: [{ args: JSON.parse('{"__proto__":{}}') }] }]],
  ])("%s", (_what, messages) => {
    expect(() => decodeMessages(messages)).toThrow(MessageRefusal);
  });

  it("nesting that would overflow a stack", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    expect(() => decodeMessages([{ role: "user", content: [{ type: "text", deep }] }])).toThrow(MessageRefusal);
  });
});

describe("whatever the JSON", () => {
  function decodeOrRefuse(value: unknown): BaseMessage[] | undefined {
    try {
      return decodeMessages(JSON.parse(JSON.stringify(value)));
    } catch (error) {
      expect(error).toBeInstanceOf(MessageRefusal);
      return undefined;
    }
  }

  it("the end is messages or a refusal, and messages can be printed", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(messageLike, { maxLength: 4 })), (value) => {
        for (const message of decodeOrRefuse(value) ?? [])
          expect(() => JSON.stringify(encodeMessage(message))).not.toThrow();
      }),
      { numRuns: 700 },
    );
  });

  it("an OpenAI conversation comes back as it went in", () => {
    const conversation = fc.array(
      fc.oneof(
        fc.record({ role: fc.constantFrom("user", "system"), content: fc.string() }),
        fc.record({
          role: fc.constant("assistant"),
          content: fc.string(),
          tool_calls: fc.uniqueArray(
            fc.record({
              id: fc.string({ minLength: 1, maxLength: 8 }),
              type: fc.constant("function"),
              function: fc.record({
                name: fc.constantFrom(TOOL, "other"),
                arguments: fc.oneof(fc.json(), fc.string()),
              }),
            }),
            { selector: ({ id }) => id, minLength: 1, maxLength: 3 },
          ),
        }),
        fc.record({ role: fc.constant("tool"), tool_call_id: fc.string({ minLength: 1 }), content: fc.string() }),
      ),
    );
    fc.assert(
      fc.property(conversation, (messages) => {
        const encoded = decodeMessages(messages).map(encodeMessage);
        const sortCalls = (message: object): object =>
          "tool_calls" in message && Array.isArray(message.tool_calls)
            ? { ...message, tool_calls: message.tool_calls.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }
            : message;
        expect(encoded.map(sortCalls)).toEqual(messages.map(sortCalls));
      }),
    );
  });
});
