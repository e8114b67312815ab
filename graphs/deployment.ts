/**
 * What the graphs of this deployment share: one sandbox, closed when the server is told to end, and the chat model.
 * OPENAI_API_KEY gives a real model; OPENAI_BASE_URL and SALLYPORT_MODEL choose server and model. Without a key a labelled
 * script is played, so that a graph can be looked at; in production (NODE_ENV) the question is refused instead.
 */

import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { ChatOpenAI } from "@langchain/openai";
import { createSandbox } from "../src/sandbox/sandbox.ts";

const DEFAULT_MODEL = "gpt-4.1-mini";
const MODEL_TIMEOUT_MS = 120_000;

export const NO_KEY =
  "There is no model here: OPENAI_API_KEY is not set. Set it (and OPENAI_BASE_URL for another server, SALLYPORT_MODEL for another model), then start again.";

export const sandbox = await createSandbox();

// The server has listeners of its own, and waits for what is under way; where there are none, the signal ends the process.
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, async () => {
    await sandbox.close();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  });
}

/** A call of the script: a tool's name and its arguments. */
export interface ScriptedCall {
  name: string;
  args: Record<string, unknown>;
}

/** What the script says after the messages so far: calls, or words. */
export type Script = (messages: readonly BaseMessage[]) => readonly ScriptedCall[] | string;

class ScriptedModel extends BaseChatModel {
  readonly #script: Script;

  constructor(script: Script) {
    super({});
    this.#script = script;
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const said = this.#script(messages);
    const toCall = ({ name, args }: ScriptedCall, index: number) => {
      return { type: "tool_call" as const, id: `call_${messages.length}_${index}`, name, args };
    };
    const message = new AIMessage(
      typeof said === "string"
        ? `Scripted, not a model. ${NO_KEY} ${said}`
        : { content: "", tool_calls: said.map(toCall) },
    );
    return { generations: [{ text: message.text, message }] };
  }
}

/** The model of the environment, or one that plays `script`. @throws Error without a key in production */
export function createModel(script: Script): BaseChatModel {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, SALLYPORT_MODEL: model, NODE_ENV } = process.env;
  if (apiKey) {
    // Strict tool calling is OpenAI's own; other servers may refuse the request that asks for it.
    const server = baseURL ? { configuration: { baseURL } } : { supportsStrictToolCalling: true };
    return new ChatOpenAI({ model: model || DEFAULT_MODEL, apiKey, timeout: MODEL_TIMEOUT_MS, ...server });
  }
  if (NODE_ENV === "production") throw new Error(NO_KEY);
  return new ScriptedModel(script);
}
