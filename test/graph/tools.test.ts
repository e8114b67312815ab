/**
 * The tools as LangChain tools: the same validation, policy and run, for agents that call them themselves.
 * A result is always an observation; only faults and aborts are thrown.
 */

import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createCodeTools } from "../../src/graph/tools.ts";
import type { Receipt } from "../../src/types.ts";
import { call, createListener, TOOL } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const only = (options: object = {}) => {
  const [made] = createCodeTools({ sandbox: rig.sandbox, ...options });
  if (made === undefined) throw new Error("no tool was made");
  return made;
};

describe("createCodeTools", () => {
  it("makes one tool for each language of the sandbox, described by policy and limits", () => {
    const tools = createCodeTools({ sandbox: rig.sandbox });
    expect(tools.map(({ name }) => name)).toEqual([TOOL, "run_python_sandboxed"]);
    expect(tools[0]?.description).toContain("1000 ms");
    const one = createCodeTools({ sandbox: { ...rig.sandbox, languages: ["javascript"] } });
    expect(one.map(({ name }) => name)).toEqual([TOOL]);
  });

  it("publishes a strict schema with source alone", () => {
    expect(z.toJSONSchema(only().schema)).toMatchObject({
      properties: { source: { type: "string" } },
      required: ["source"],
      additionalProperties: false,
    });
  });

  it("answers with the observation as text, and a tool call with a ToolMessage", async () => {
    const observation = '{"ok":true,"status":"ok","result":42,"stdout":["hi"]}';
    const source = "console.log('hi'); 6 * 7";
    expect(await only().invoke({ source })).toBe(observation);
    const message = (await only().invoke(call("c1", source))) as unknown;
    expect(ToolMessage.isInstance(message)).toBe(true);
    expect(message).toMatchObject({ content: observation, tool_call_id: "c1", name: TOOL, status: "success" });
  });

  it.each<[string, Record<string, unknown>]>([
    ["an extra argument", { source: "1", timeoutMs: 60_000 }],
    ["no source", {}],
    ["a source that is no string", { source: 7 }],
    ["an empty source", { source: "" }],
    ["a source that is too long", { source: "1;".repeat(3000) }],
  ])("answers %s with InvalidArguments and raises nothing", async (_title, args) => {
    const before = rig.executed.length;
    const text = await only().invoke(args as { source: string });
    expect(JSON.parse(text)).toMatchObject({ ok: false, status: "rejected", error: "InvalidArguments" });
    const message: unknown = await only().invoke({ type: "tool_call", id: "c1", name: TOOL, args });
    expect(message).toMatchObject({ tool_call_id: "c1", status: "error" });
    expect(rig.executed).toHaveLength(before);
  });

  it("denies what the policy denies", async () => {
    const text = await only({ policy: "strict" }).invoke({ source: "const _x = 1; _x" });
    expect(JSON.parse(text)).toMatchObject({ status: "denied", error: "PolicyDenied" });
  });

  it("keeps the limits that it was made with", async () => {
    const text = await only({ limits: { timeoutMs: 50 } }).invoke({ source: "while (true);" });
    expect(JSON.parse(text)).toMatchObject({ status: "timeout" });
  });

  it("gives the program the input, and the operator a receipt", async () => {
    const receipts: Receipt[] = [];
    const made = only({ input: [1, 2], onReceipt: (receipt: Receipt) => receipts.push(receipt) });
    expect(JSON.parse(await made.invoke({ source: "input.length" }))).toMatchObject({ result: 2 });
    expect(receipts).toMatchObject([{ tool: TOOL, decision: "allow", status: "ok", policy: "standard" }]);
  });

  it("works in LangGraph's own ToolNode, where a wrong call costs only itself", async () => {
    const message = new AIMessage({
      content: "",
      tool_calls: [
        call("a", "1"),
        { type: "tool_call", id: "b", name: TOOL, args: {} },
        call("c", "null.x"),
        call("d", "4"),
      ],
    });
    const { messages } = (await new ToolNode(createCodeTools({ sandbox: rig.sandbox })).invoke({
      messages: [message],
    })) as {
      messages: ToolMessage[];
    };
    const seen = messages.map(({ tool_call_id, content }) => [tool_call_id, JSON.parse(String(content)).status]);
    expect(seen).toEqual([
      ["a", "ok"],
      ["b", "rejected"],
      ["c", "error"],
      ["d", "ok"],
    ]);
  });

  it("throws where its signal is aborted", async () => {
    const controller = new AbortController();
    const running = only({ limits: { timeoutMs: 10_000 } }).invoke(
      { source: "while (true);" },
      { signal: controller.signal },
    );
    controller.abort(new Error("stop"));
    await expect(running).rejects.toThrow();
  });
});
