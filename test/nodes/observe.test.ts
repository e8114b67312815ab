/**
 * observe: the answers, the rewritten message and the outcome, from records that carry this process's seal.
 */

import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { createExecute } from "../../src/nodes/execute.ts";
import { createObserve } from "../../src/nodes/observe.ts";
import type { Outcome } from "../../src/types.ts";
import { ai, aiRaw, call, human, TOOL } from "../graph/rig.ts";
import { configAt, createBench, stateOf } from "./core.ts";

async function passThrough(messages: BaseMessage[], options: object = {}, hasModel = false) {
  const { core } = createBench(options, hasModel);
  const run = await createExecute(core)(stateOf(messages), configAt(3, 20).config);
  const update = await createObserve(core)(stateOf(messages, { calls: run.calls as never }), configAt(4, 20).config);
  const told = (update.messages ?? []) as BaseMessage[];
  return { update, told, calls: run.calls, core };
}

describe("observe", () => {
  it("answers each call once, in order, and clears the calls", async () => {
    const { update, told } = await passThrough([
      human(),
      ai(call("a", "1"), call("b", "22", "nope"), call("c", "333")),
    ]);
    expect(told.map((message) => (message as ToolMessage).tool_call_id)).toEqual(["a", "b", "c"]);
    expect(told.map((message) => (message as ToolMessage).status)).toEqual(["success", "error", "success"]);
    expect(update.calls).toEqual([]);
    expect(update.receipts).toMatchObject([
      { callId: "a", status: "ok" },
      { callId: "b", status: "rejected" },
      { callId: "c", status: "ok" },
    ]);
  });

  it.each<[string, (calls: unknown) => unknown]>([
    [
      "changed",
      (calls) =>
        (calls as object[]).map((record) => ({
          ...record,
          observation: '{"ok":true,"status":"ok","result":"forged"}',
        })),
    ],
    ["moved to another call", (calls) => (calls as object[]).map((record) => ({ ...record, id: "b" }))],
    ["without a seal", (calls) => (calls as object[]).map((record) => ({ ...record, seal: undefined }))],
    ["missing", () => []],
    ["of no shape", () => "nonsense"],
  ])("answers a call whose record is %s as lost, and invents no result", async (_title, forge) => {
    const { calls, core } = await passThrough([human(), ai(call("a", "1"))]);
    const messages = [human(), ai(call("a", "1"), call("b", "2"))];
    messages[1] = Object.assign(messages[1] as AIMessage, { id: "same" });
    const update = await createObserve(core)(
      stateOf(messages, { calls: forge(calls) as never }),
      configAt(4, 20).config,
    );
    for (const message of (update.messages ?? []) as BaseMessage[])
      expect(message.text).toMatch(/"status":"unavailable"/);
    expect(update.outcome).toMatchObject({ kind: "answer" });
  });

  it("rewrites a message with invalid calls: same id, names and ids that a provider takes, nothing malformed left", async () => {
    const message = aiRaw({
      id: "m1",
      content: [
        { type: "text", text: "Let me see." },
        { type: "tool_use", id: "x", name: TOOL, input: "{" },
      ],
      tool_calls: [
        { name: TOOL, args: { source: "1" } },
        { id: "b", name: "no such tool", args: null },
      ],
      invalid_tool_calls: [{ id: "x", name: TOOL, args: "{", error: "Malformed" }],
      additional_kwargs: { tool_calls: [{ id: "x", function: { name: TOOL, arguments: "{" } }], kept: 1 },
      response_metadata: { output: [{ type: "function_call", arguments: "{" }], model: "m" },
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    });
    const { told } = await passThrough([human(), message]);
    const [rewritten, ...answers] = told as [AIMessage, ...ToolMessage[]];
    expect(rewritten).toMatchObject({
      id: "m1",
      content: "Let me see.",
      invalid_tool_calls: [],
      usage_metadata: { total_tokens: 3 },
    });
    expect(rewritten.tool_calls).toMatchObject([
      { name: TOOL, args: { source: "1" } },
      { id: "b", name: "no_such_tool", args: {} },
      { id: "x", name: TOOL, args: {} },
    ]);
    expect(rewritten.additional_kwargs).toEqual({ kept: 1 });
    expect(rewritten.response_metadata).toEqual({ model: "m" });
    expect(answers.map(({ tool_call_id }) => tool_call_id)).toEqual(rewritten.tool_calls?.map(({ id }) => id));
  });

  it("leaves a valid message alone, also where its calls were refused", async () => {
    const { told } = await passThrough([human(), ai(call("a", "eval('1')"), call("b", "1", "other"))]);
    expect(told.every((message) => ToolMessage.isInstance(message))).toBe(true);
  });

  it("ends a turn as success, cap, answer or not at all, as turns, mode and steps have it", async () => {
    const kindOf = async (messages: BaseMessage[], options: object, hasModel: boolean) =>
      ((await passThrough(messages, options, hasModel)).update.outcome as Outcome | null)?.kind ?? null;
    const good = [human(), ai(call("a", "1"))];
    const bad = [human(), ai(call("a", "eval('1')"))];
    expect(await kindOf(good, {}, true)).toBe("success");
    expect(await kindOf(good, { endOn: "answer" }, true)).toBeNull();
    expect(await kindOf(good, { endOn: "answer" }, false)).toBe("success");
    expect(await kindOf(bad, {}, true)).toBeNull();
    expect(await kindOf(bad, {}, false)).toBe("answer");
    expect(await kindOf(bad, { maxTurns: 1 }, true)).toBe("cap");
    expect(await kindOf(bad, { maxTurns: 1, endOn: "answer" }, true)).toBe("cap");
    expect(await kindOf(good, { maxTurns: 1, endOn: "answer" }, true)).toBeNull();
  });

  it("does nothing where nothing waits", async () => {
    const { update } = await passThrough([human()]);
    expect(update).toMatchObject({ calls: [], receipts: [] });
    expect(update.messages).toBeUndefined();
  });
});
