/**
 * The agent graph for the LangGraph server: a chat model of any OpenAI-compatible server that may run code.
 * Needs OPENAI_API_KEY for a real model. Without one it plays a labelled script, so that the graph can be looked at;
 * in production (NODE_ENV) it refuses instead. OPENAI_BASE_URL and SALLYPORT_MODEL choose server and model.
 */

import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { ChatOpenAI } from "@langchain/openai";
import { createCodeExecutionGraph } from "../src/graph/workflow.ts";
import { createSandbox } from "../src/sandbox/sandbox.ts";

const DEFAULT_MODEL = "gpt-4.1-mini";
const MODEL_TIMEOUT_MS = 120_000;

const NO_KEY =
  "There is no model here: OPENAI_API_KEY is not set. Set it (and OPENAI_BASE_URL for another server, SALLYPORT_MODEL for another model), then start again.";

const PROGRAM = `let prime = 1;
for (let found = 0; found < 100; ) {
  prime++;
  let divisor = 2;
  while (divisor * divisor <= prime && prime % divisor !== 0) divisor++;
  if (divisor * divisor > prime) found++;
}
const result = prime;`;

/** Runs one fixed program, then says what it is. Keeps no state: every question gets the same. */
class ScriptedModel extends BaseChatModel {
  constructor() {
    super({});
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const last = messages.at(-1);
    const message =
      last?.getType() === "tool"
        ? new AIMessage(`Scripted, not a model. ${NO_KEY} The 100th prime, computed as an example: ${last.text}`)
        : new AIMessage({ content: "", tool_calls: [{ ...EXAMPLE_CALL, id: `call_${messages.length}` }] });
    return { generations: [{ text: message.text, message }] };
  }
}

const EXAMPLE_CALL = { type: "tool_call" as const, name: "run_javascript_sandboxed", args: { source: PROGRAM } };

function createModel(): BaseChatModel {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, SALLYPORT_MODEL: model, NODE_ENV } = process.env;
  if (apiKey) {
    // Strict tool calling is OpenAI's own; other servers may refuse the request that asks for it.
    const server = baseURL ? { configuration: { baseURL } } : { supportsStrictToolCalling: true };
    return new ChatOpenAI({ model: model || DEFAULT_MODEL, apiKey, timeout: MODEL_TIMEOUT_MS, ...server });
  }
  if (NODE_ENV === "production") throw new Error(NO_KEY);
  return new ScriptedModel();
}

export const graph = createCodeExecutionGraph({
  sandbox: await createSandbox(),
  model: createModel,
  endOn: "answer",
  name: "agent",
});
