/**
 * The agent graph with a real ChatOpenAI, a real sandbox and the strict loopback server, driven with and without streaming.
 * The sandbox is only listened to: `executed` holds each source that was really handed to an engine.
 */

import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Observation, Outcome, Receipt, Sandbox } from "../../src/types.ts";
import {
  type OpenAiServer,
  type Script,
  startOpenAiServer,
  TEST_API_KEY,
  TEST_MODEL,
} from "../fixtures/openai-server.ts";

export type Mode = "streamed" | "whole";
export const MODES: Mode[] = ["whole", "streamed"];

/** What the tests read of a message, whichever class it has. */
export interface Seen {
  type: string;
  id?: string;
  content: unknown;
  name?: string;
  tool_call_id?: string;
  tool_calls?: { id?: string; name: string; args: Record<string, unknown> }[];
  invalid_tool_calls?: unknown[];
}

export interface Driven {
  messages: Seen[];
  outcome: Outcome;
  receipts: Receipt[];
  /** The observations in the tool messages, in order. */
  observations: Observation[];
  executed: string[];
  server: OpenAiServer;
}

export interface DriveOptions {
  mode: Mode;
  script: Script;
  endOn?: "answer" | "success";
  maxTurns?: number;
  /** Asks the provider for several calls at once, or for one at a time. Default: what the provider does unasked. */
  parallelToolCalls?: boolean;
  /** Questions of one thread, one after the other. */
  questions?: string[];
}

/** Records what is executed and passes everything on. */
function listen(sandbox: Sandbox, executed: string[]): Sandbox {
  return new Proxy(sandbox, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== "function") return value;
      if (name !== "execute" && name !== "run") return value.bind(target);
      return (request: { source: string }) => {
        executed.push(request.source);
        return Reflect.apply(value, target, [request]) as unknown;
      };
    },
  });
}

export interface Rig {
  drive(options: DriveOptions): Promise<Driven>;
  close(): Promise<void>;
}

export async function createRig(): Promise<Rig> {
  const sandbox = await createSandbox();
  const drive = async (options: DriveOptions): Promise<Driven> => {
    const { mode, script, endOn = "answer", maxTurns = 3, questions = ["Compute."], parallelToolCalls } = options;
    await using server = await startOpenAiServer({ script });
    const model = new ChatOpenAI({
      model: TEST_MODEL,
      apiKey: TEST_API_KEY,
      maxRetries: 0,
      configuration: { baseURL: server.baseURL },
      ...(parallelToolCalls === undefined ? {} : { modelKwargs: { parallel_tool_calls: parallelToolCalls } }),
    });
    const executed: string[] = [];
    const graph = createCodeExecutionGraph({
      sandbox: listen(sandbox, executed),
      model,
      policy: "standard",
      maxTurns,
      endOn,
    });
    let messages: BaseMessage[] = [];
    let state: unknown;
    for (const question of questions) {
      const input = { messages: [...messages, new HumanMessage(question)] };
      if (mode === "whole") state = await graph.invoke(input);
      else {
        for await (const [kind, part] of await graph.stream(input, { streamMode: ["messages", "values"] })) {
          if (kind === "values") state = part;
        }
      }
      messages = (state as { messages: BaseMessage[] }).messages;
    }
    const final = state as { messages: Seen[]; outcome: Outcome; receipts: Receipt[] };
    const observations = final.messages
      .filter((message) => message.type === "tool")
      .map((message) => JSON.parse(String(message.content)) as Observation);
    return { ...final, observations, executed, server };
  };
  return { drive, close: () => sandbox.close() };
}
