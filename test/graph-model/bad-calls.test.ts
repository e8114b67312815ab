/**
 * Calls that a model got wrong, through a real ChatOpenAI: each is answered, none is repaired into something that runs,
 * and the next request is one that the real API accepts.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool, type Reply } from "../fixtures/openai-server.ts";
import { createRig, type Driven, MODES, type Mode, type Rig } from "./agent.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig?.close());

const name = "run_javascript_sandboxed";
const raw = (text: string, id = "call_1", tool = name) => ({ id, name: tool, arguments: text });

/** The bad reply first, then a plain answer: the second request is where a bad history would be refused. */
async function driveBad(mode: Mode, reply: Reply): Promise<Driven> {
  const driven = await rig.drive({ mode, script: (_request, turn) => (turn === 1 ? reply : { text: "I see." }) });
  expect(driven.server.faults).toEqual([]);
  expect(driven.server.requests).toHaveLength(2);
  expect(driven.messages.at(-1)?.content).toBe("I see.");
  expect(driven.outcome.kind).toBe("answer");
  return driven;
}

function expectOneRefusal(driven: Driven, error: string): void {
  expect(driven.executed).toEqual([]);
  expect(driven.observations).toMatchObject([{ ok: false, status: "rejected", error }]);
  expect(driven.receipts.map((receipt) => receipt.engineSha256).filter((hash) => hash !== null)).toEqual([]);
}

describe.each(MODES)("in replies that come %s", (mode) => {
  it.each<[string, string]>([
    ["cut short", '{"source": "6 * 7'],
    ["cut after the value", '{"source": "6 * 7"'],
    ["with a trailing comma", '{"source": "6 * 7",}'],
    ["in single quotes", "{'source': '6 * 7'}"],
    ["with text behind", '{"source": "6 * 7"} and so on'],
    ["that are empty", ""],
    ["that are a bare string", '"6 * 7"'],
    ["that are an array", '["6 * 7"]'],
    ["that are null", "null"],
    ["with an extra argument", '{"source": "6 * 7", "timeoutMs": 60000}'],
    ["with source twice", '{"source": "1", "source": "2"}'],
    ["with a source that is no string", '{"source": 42}'],
    ["without source", "{}"],
    ["with an own __proto__", '{"source": "1", "__proto__": {"x": 1}}'],
  ])("arguments %s are answered InvalidArguments and never run", async (_title, text) => {
    const driven = await driveBad(mode, { calls: [raw(text)] });
    expectOneRefusal(driven, "InvalidArguments");
    expect(driven.messages.find((message) => message.type === "tool")?.tool_call_id).toBe("call_1");
  });

  it("a malformed call is kept in the history under its id, as one that the API accepts", async () => {
    const driven = await driveBad(mode, { calls: [raw('{"source": "6 * 7')] });
    const sent = driven.server.requests[1]?.messages ?? [];
    expect(sent.map((message) => message.role).slice(-3)).toEqual(["user", "assistant", "tool"]);
    const assistant = driven.messages.find((message) => message.type === "ai");
    expect(assistant?.tool_calls?.map((call) => [call.id, call.name])).toEqual([["call_1", name]]);
    expect(assistant?.invalid_tool_calls ?? []).toEqual([]);
  });

  it("a malformed call beside a good one costs only itself", async () => {
    const driven = await driveBad(mode, { calls: [callTool("good", "6 * 7"), raw('{"source": "1', "bad")] });
    expect(driven.executed).toEqual(["6 * 7"]);
    const answers = driven.messages.filter((message) => message.type === "tool");
    const seen = answers.map((message) => [
      message.tool_call_id,
      (JSON.parse(String(message.content)) as { status: string }).status,
    ]);
    expect(new Map(seen as [string, string][])).toEqual(
      new Map([
        ["good", "ok"],
        ["bad", "rejected"],
      ]),
    );
  });

  it.each<[string, Reply]>([
    [
      "in the middle of its source",
      { calls: [raw('{"source": "console.log(1); delete_every')], finishReason: "length" },
    ],
    ["where it can be repaired into valid code", { calls: [raw('{"source": "6 * 7')], finishReason: "length" }],
    ["before its first character", { calls: [raw("")], finishReason: "length" }],
    ["just after it was complete", { calls: [callTool("call_1", "6 * 7")], finishReason: "length" }],
  ])("a call that the token limit cut %s is never executed", async (_title, reply) => {
    const driven = await driveBad(mode, reply);
    expect(driven.executed).toEqual([]);
    expect(driven.observations).toHaveLength(1);
    expect(driven.observations[0]).toMatchObject({ ok: false, status: "rejected" });
    expect(["TruncatedCall", "InvalidArguments"]).toContain(driven.observations[0]?.error);
    expect(driven.receipts.every((receipt) => receipt.engineSha256 === null)).toBe(true);
  });

  it("complete calls before the one that the token limit cut are not executed either", async () => {
    const reply: Reply = { calls: [callTool("a", "6 * 7"), raw('{"source": "1 +', "b")], finishReason: "length" };
    const driven = await driveBad(mode, reply);
    expect(driven.executed).toEqual([]);
    expect(driven.observations.map((seen) => seen.status)).toEqual(["rejected", "rejected"]);
  });

  it("an unknown tool is answered ToolNotAllowed", async () => {
    const driven = await driveBad(mode, { calls: [raw('{"path": "/"}', "call_1", "delete_files")] });
    expectOneRefusal(driven, "ToolNotAllowed");
  });

  it("an unknown tool with a name that the API would refuse is answered and does not wedge the thread", async () => {
    const driven = await driveBad(mode, { calls: [raw("{}", "call_1", "run code; now!")] });
    expectOneRefusal(driven, "ToolNotAllowed");
  });

  it("an unknown tool with malformed arguments is answered and does not wedge the thread", async () => {
    const driven = await driveBad(mode, { calls: [raw('{"path": "/', "call_1", "delete_files")] });
    expect(driven.executed).toEqual([]);
    expect(driven.observations).toMatchObject([{ ok: false, status: "rejected" }]);
  });

  it("two calls with one id run at most once and do not wedge the thread", async () => {
    const driven = await driveBad(mode, { calls: [callTool("same", "1"), callTool("same", "2")] });
    expect(driven.executed.length).toBeLessThanOrEqual(1);
    expect(driven.observations.filter((seen) => seen.status === "rejected").length).toBeGreaterThanOrEqual(1);
  });

  it("a call without an id does not wedge the thread", async () => {
    const driven = await driveBad(mode, { calls: [callTool("", "6 * 7")] });
    expect(driven.observations).toHaveLength(1);
  });
});

describe("a stream that ends without a finish reason", () => {
  it("in the middle of a call executes nothing", async () => {
    const driven = await driveBad("streamed", { calls: [raw('{"source": "6 * 7')], isCut: true });
    expect(driven.executed).toEqual([]);
    expect(driven.observations).toMatchObject([{ ok: false, status: "rejected" }]);
  });
});
