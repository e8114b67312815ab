/**
 * Asks the chat model, made on first use and with our tools bound, and names its failures without repeating secrets.
 * Changes no message and retries nothing: the model's client has its own ways for both.
 */

import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { BaseChatModel, BindToolsInput } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import { mergeConfigs, type RunnableConfig } from "@langchain/core/runnables";
import { SandboxError } from "../errors.ts";
import { hideSecrets } from "../secrets.ts";
import { mustPass } from "./control-flow.ts";
import { field, textOf } from "./fields.ts";

/** A chat model, or how to make one: a maker is called at the first question, so that a missing key is told then. */
export type ModelOption = BaseChatModel | (() => BaseChatModel | Promise<BaseChatModel>);

export type AskModel = (messages: BaseMessage[], config: RunnableConfig) => Promise<BaseMessage>;

/** A failure of the model as LangGraph writes it into the checkpoint: its cause stays in memory. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** HTTP status, where there was one: what retry policies look at. */
  readonly status: number | undefined;

  constructor(cause: unknown) {
    const told = hideSecrets(textOf(field(cause, "message")) ?? String(cause));
    super(`The model did not answer: ${told.slice(0, 500)}`, { cause });
    const status = field(cause, "status");
    this.status = typeof status === "number" ? status : undefined;
  }
}

/** Why the provider stopped: while somebody streams messages, the library leaves it out of the message. */
class FinishReasons extends BaseCallbackHandler {
  readonly name = "sallyport_finish_reasons";
  override readonly awaitHandlers = true;
  #last: unknown;

  override handleLLMEnd({ generations }: LLMResult): void {
    this.#last = field(generations[0]?.[0]?.generationInfo, "finish_reason") ?? this.#last;
  }

  addTo(reply: BaseMessage): BaseMessage {
    if (typeof this.#last !== "string" || field(reply.response_metadata, "finish_reason") !== undefined) return reply;
    reply.response_metadata = { ...reply.response_metadata, finish_reason: this.#last };
    return reply;
  }
}

export function createAsk(model: ModelOption, tools: BindToolsInput[]): AskModel {
  let bound: Promise<ReturnType<NonNullable<BaseChatModel["bindTools"]>>> | null = null;
  const bind = async () => {
    const made = typeof model === "function" ? await model() : model;
    if (made.bindTools) return made.bindTools(tools);
    throw new SandboxError("INVALID_OPTIONS", "createCodeExecutionGraph: model: expected a chat model with bindTools");
  };
  return async (messages, config) => {
    bound ??= bind().catch((error: unknown) => {
      bound = null;
      throw error;
    });
    const ready = await bound;
    const ends = new FinishReasons();
    try {
      return ends.addTo(await ready.invoke(messages, mergeConfigs(config, { callbacks: [ends] })));
    } catch (error) {
      if (mustPass(error, config.signal)) throw error;
      throw new ModelError(error);
    }
  };
}
