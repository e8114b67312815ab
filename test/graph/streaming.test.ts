/**
 * What a listener gets while the graph runs: every stream mode, with and without subgraphs, and printed lines in time.
 * Times are read from the events themselves, with bounds that a busy machine keeps.
 */

import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportEvent } from "../../src/graph/events.ts";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { ai, call, createListener, FakeModel, human, statuses, TOOL } from "./rig.ts";

let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(() => rig?.close());

/** Prints a line every few milliseconds of real time, which the virtual clock does not show, for about `rounds` of them. */
const printing = (rounds: number) => `
for (let line = 0; line < ${rounds}; line++) {
  console.log("line " + line);
  for (let spin = 0; spin < 4e6; spin++);
}
"done"`;

const long = { limits: { timeoutMs: 20_000 } };

async function listen(source: string): Promise<SallyportEvent[]> {
  const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, ...long });
  const events: SallyportEvent[] = [];
  for await (const event of await graph.stream({ messages: [ai(call("a", source))] }, { streamMode: "custom" }))
    events.push(event as SallyportEvent);
  return events;
}

const stdoutOf = (events: readonly SallyportEvent[]) =>
  events.flatMap((event) => (event.event === "stdout" ? [{ at: event.at, lines: event.data.lines }] : []));

describe("printed lines", () => {
  it("arrive while a long program runs, in order, at most once every 50 ms", async () => {
    const events = await listen(printing(150));
    const told = stdoutOf(events);
    expect(told.flatMap(({ lines }) => lines)).toEqual(Array.from({ length: 150 }, (_, line) => `line ${line}`));
    const started = events.find(({ event }) => event === "started")?.at ?? 0;
    const finished = events.find(({ event }) => event === "finished")?.at ?? 0;
    expect(told.length).toBeGreaterThan(2);
    expect(told[0]?.lines).toEqual(["line 0"]);
    // The program still runs: for how long before its first line it waited for a worker says nothing.
    expect(finished - (told[0]?.at ?? finished)).toBeGreaterThan(49);
    // The last one comes with the end; a timer may be a millisecond early.
    expect(told.length).toBeLessThanOrEqual((finished - started) / 49 + 2);
  });

  it("of a program that prints all at once are a few events, and none is lost", async () => {
    const told = stdoutOf(await listen("for (let line = 0; line < 900; line++) console.log(line); 0"));
    expect(told.flatMap(({ lines }) => lines)).toHaveLength(900);
    expect(told.length).toBeLessThan(90);
  });

  it("before a kill are told before the end is", async () => {
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, limits: { timeoutMs: 200 } });
    const events: SallyportEvent[] = [];
    const messages = [ai(call("a", "console.log('before'); Array.prototype.reverse.call({ length: 2 ** 53 - 1 });"))];
    for await (const event of await graph.stream({ messages }, { streamMode: "custom" }))
      events.push(event as SallyportEvent);
    expect(events.map(({ event }) => event)).toEqual(["validated", "decided", "started", "stdout", "finished"]);
    expect(events.at(-1)?.data).toMatchObject({ ok: false, status: "timeout" });
  });

  it("of a stream that nobody reads any more end nothing but that run", async () => {
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, ...long });
    const messages = [ai(call("a", printing(100)))];
    for await (const event of await graph.stream({ messages }, { streamMode: "custom" }))
      if ((event as SallyportEvent).event === "stdout") break;
    expect(statuses(await graph.invoke({ messages: [ai(call("b", "1"))] }))).toEqual(["ok"]);
  });
});

/** A model that streams its words and its call in pieces, as providers do, where somebody listens to them. */
class StreamingModel extends FakeModel {
  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: unknown,
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    this.prompts.push(messages);
    const pieces = messages.at(-1)?.getType() === "tool" ? WORDS.map((text) => new AIMessageChunk(text)) : CALL_PIECES;
    for (const message of pieces) {
      const chunk = new ChatGenerationChunk({ message, text: message.text });
      yield chunk;
      await manager?.handleLLMNewToken(message.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

const WORDS = ["It ", "is ", "42."];
const CALL_PIECES = [{ id: "c1", name: TOOL, args: '{"source": "6' }, { args: ' * 7"}' }].map(
  (piece) => new AIMessageChunk({ content: "", tool_call_chunks: [{ ...piece, index: 0, type: "tool_call_chunk" }] }),
);

const streaming = () =>
  new StreamingModel((prompt) =>
    prompt.at(-1)?.getType() === "tool" ? new AIMessage(WORDS.join("")) : ai(call("c1", "6 * 7")),
  );
type CompiledGraph = ReturnType<typeof createAgent>;
const createAgent = () =>
  createCodeExecutionGraph({ sandbox: rig.sandbox, model: streaming(), endOn: "answer", name: "code" });

function createParent() {
  return new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("code", createAgent())
    .addEdge(START, "code")
    .addEdge("code", END)
    .compile();
}

const MODES = ["values", "updates", "messages", "custom", "debug"] as const;
const NODES = ["model", "validate", "policy", "execute", "observe"];

describe("stream modes", () => {
  it("all work at once on the agent", async () => {
    const seen = new Map<string, unknown[]>(MODES.map((mode) => [mode, []]));
    for await (const [mode, part] of await createAgent().stream({ messages: [human()] }, { streamMode: [...MODES] }))
      seen.get(mode)?.push(part);
    expect((seen.get("values") ?? []).at(-1)).toMatchObject({ outcome: { kind: "answer" } });
    const updated = (seen.get("updates") ?? []).flatMap((part) => Object.keys(part as object));
    expect(updated).toEqual(["model", "validate", "policy", "execute", "observe", "model"]);
    const tokens = (seen.get("messages") ?? []).map((part) => (part as [BaseMessage])[0]);
    const words = tokens.filter((token) => AIMessageChunk.isInstance(token)).map((token) => token.text);
    expect(words.filter((text) => text !== "")).toEqual(WORDS);
    expect(tokens.filter((token) => token.getType() === "tool")).toHaveLength(1);
    expect((seen.get("custom") ?? []).map((part) => (part as SallyportEvent).event)).toEqual([
      "validated",
      "decided",
      "started",
      "finished",
    ]);
    const tasks = (seen.get("debug") ?? []).filter((part) => (part as { type: string }).type === "task");
    expect(new Set(tasks.map((part) => (part as { payload: { name: string } }).payload.name))).toEqual(new Set(NODES));
  });

  it.each(MODES)("%s tells a parent of its subgraph where it asks for subgraphs", async (mode) => {
    const inside: unknown[] = [];
    const options = { streamMode: [mode], subgraphs: true as const };
    for await (const part of await createParent().stream({ messages: [human()] }, options)) {
      const [namespace, , data] = part as unknown as [string[], string, unknown];
      if (namespace.length > 0) {
        expect(namespace).toEqual([expect.stringMatching(/^code:/)]);
        inside.push(data);
      }
    }
    expect(inside.length).toBeGreaterThanOrEqual(4);
  });

  it("custom tells a parent of ours even where it does not ask for subgraphs", async () => {
    const told: string[] = [];
    for await (const part of await createParent().stream({ messages: [human()] }, { streamMode: "custom" }))
      told.push((part as SallyportEvent).event);
    expect(told).toEqual(["validated", "decided", "started", "finished"]);
  });
});

describe("streamEvents", () => {
  it.each<[string, () => { streamEvents: CompiledGraph["streamEvents"] }]>([
    ["agent", createAgent],
    ["parent", createParent as never],
  ])("goes through the %s: nodes, tokens, custom events, and its end", async (_title, create) => {
    const graph = create();
    const nodes = new Set<string>();
    const words: string[] = [];
    const custom: string[] = [];
    const options = { version: "v2" as const, streamMode: ["custom" as const], subgraphs: true as const };
    for await (const { event, name, data } of graph.streamEvents({ messages: [human()] }, options)) {
      if (event === "on_chain_start") nodes.add(name);
      if (event === "on_chat_model_stream") words.push(String((data.chunk as BaseMessage).text));
      if (event !== "on_chain_stream") continue;
      const chunk = (data.chunk as unknown[])?.at?.(-1) as SallyportEvent | undefined;
      if (chunk?.type === "sallyport") custom.push(chunk.event);
    }
    for (const node of NODES) expect(nodes).toContain(node);
    expect(words.filter((text) => text !== "")).toEqual(WORDS);
    expect(custom).toEqual(expect.arrayContaining(["validated", "decided", "started", "finished"]));
  });
});
