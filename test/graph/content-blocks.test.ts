/**
 * Messages in the shape of another provider: content blocks that repeat the calls, thinking before them, usage and stop
 * reasons under other names, whole and streamed in pieces. Calls are read from `tool_calls`; blocks only must not get lost
 * or contradict the answers.
 */

import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { aiMessages, aiRaw, call, createListener, expectAnswered, FakeModel, human, statuses, TOOL } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

const THINKING = { type: "thinking", thinking: "Six times seven.", signature: "c2lnbmF0dXJl" };
const TEXT = { type: "text", text: "I compute it." };

function blocks(stopReason: string, ...calls: ReturnType<typeof call>[]): AIMessage {
  const used = calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }));
  return aiRaw({
    content: [THINKING, TEXT, ...used],
    tool_calls: calls,
    response_metadata: { model_provider: "anthropic", stop_reason: stopReason },
    usage_metadata: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  });
}

const ask = (model: FakeModel) =>
  createCodeExecutionGraph({ sandbox: rig.sandbox, model, endOn: "answer", checkpointer: new MemorySaver() }).invoke(
    { messages: [human()] },
    { configurable: { thread_id: crypto.randomUUID() } },
  );

/** Every call has one block, every block one call. */
function expectBlocksToAgree(message: AIMessage | undefined): void {
  const content = Array.isArray(message?.content) ? message.content : [];
  const used = content.filter(({ type }) => type === "tool_use").map((block) => (block as { id?: string }).id);
  if (used.length > 0) expect(used).toEqual(message?.tool_calls?.map(({ id }) => id));
}

describe("content blocks of another provider", () => {
  it("go through a turn, and back to the provider as they came", async () => {
    const first = blocks("tool_use", call("toolu_1", "6 * 7"), call("toolu_2", "null.x"));
    const model = new FakeModel((_prompt, asked) => (asked === 1 ? first : new AIMessage({ content: [TEXT] })));
    const end = await ask(model);
    expect(statuses(end)).toEqual(["ok", "TypeError"]);
    expect(end.outcome?.kind).toBe("answer");
    expect(model.prompts[1]?.[1]?.content).toEqual(first.content);
    expectAnswered({ messages: model.prompts[1] ?? [] });
    expectBlocksToAgree(aiMessages(end)[0]);
  });

  it.each(["max_tokens", "model_context_window_exceeded"])("that end by %s are refused whole", async (reason) => {
    const model = new FakeModel((_prompt, asked) =>
      asked === 1 ? blocks(reason, call("toolu_1", "'cut short'")) : new AIMessage("Done."),
    );
    expect(statuses(await ask(model))).toEqual(["TruncatedCall"]);
    expect(rig.executed).not.toContain("'cut short'");
  });

  it("of a call that is malformed are rewritten with it, text and thinking kept", async () => {
    const broken = blocks("tool_use");
    const content = [...(broken.content as object[]), { type: "tool_use", id: "toolu_1", name: TOOL, input: '{"sour' }];
    const message = aiRaw({ content, invalid_tool_calls: [{ id: "toolu_1", name: TOOL, args: '{"sour' }] });
    const end = await ask(new FakeModel((_prompt, asked) => (asked === 1 ? message : new AIMessage("Done."))));
    expect(statuses(end)).toEqual(["InvalidArguments"]);
    const [rewritten] = aiMessages(end);
    expect(rewritten?.content).toEqual([THINKING, TEXT]);
    expectAnswered(end);
  });

  it("that come in pieces are one call with its raw text", async () => {
    const pieces = ['{"sour', 'ce": "6 ', '* 7"}'];
    class Pieces extends FakeModel {
      override async *_streamResponseChunks(
        messages: BaseMessage[],
        _options: unknown,
        manager?: CallbackManagerForLLMRun,
      ): AsyncGenerator<ChatGenerationChunk> {
        this.prompts.push(messages);
        const start = { id: "toolu_1", name: TOOL, index: 1, args: "", type: "tool_call_chunk" as const };
        const chunks = [
          new AIMessageChunk({ content: [{ ...TEXT, index: 0 }] }),
          new AIMessageChunk({
            content: [{ type: "tool_use", id: "toolu_1", name: TOOL, input: "", index: 1 }],
            tool_call_chunks: [start],
          }),
          ...pieces.map(
            (args) =>
              new AIMessageChunk({
                content: [{ type: "input_json_delta", input: args, index: 1 }],
                tool_call_chunks: [{ index: 1, args, type: "tool_call_chunk" as const }],
              }),
          ),
        ];
        const answer = [new AIMessageChunk({ content: [{ ...TEXT, index: 0 }] })];
        for (const message of messages.at(-1)?.getType() === "tool" ? answer : chunks) {
          const chunk = new ChatGenerationChunk({ message, text: message.text });
          yield chunk;
          await manager?.handleLLMNewToken(message.text, undefined, undefined, undefined, undefined, { chunk });
        }
      }
    }
    const graph = createCodeExecutionGraph({
      sandbox: rig.sandbox,
      model: new Pieces(() => new AIMessage("")),
      endOn: "answer",
    });
    let end: unknown;
    for await (const [mode, part] of await graph.stream(
      { messages: [human()] },
      { streamMode: ["messages", "values"] },
    ))
      if (mode === "values") end = part;
    const state = end as { messages: BaseMessage[] };
    expect(statuses(state)).toEqual(["ok"]);
    expect(state.messages.at(-1)?.text).toBe(TEXT.text);
    expectAnswered(state);
  });
});
