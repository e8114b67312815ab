/**
 * A chat model that plays a script: for the tour, which needs no key and no network.
 * Must say that it is scripted wherever it is shown; reads the observations it is given, but decides nothing.
 */

import type { BaseChatModelParams } from "@langchain/core/language_models/chat_models";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { TOOL_NAMES } from "../graph/tool-names.ts";

/** One reply of the script: a program to run, or the last words. */
export type ScriptedReply = { readonly code: string } | { readonly say: (lastObservation: string) => string };

/** Plays `replies` in order, one a call; the last one again where it is asked more often. */
export class ScriptedChatModel extends BaseChatModel {
  readonly #replies: readonly ScriptedReply[];
  #asked = 0;

  constructor(replies: readonly ScriptedReply[], fields: BaseChatModelParams = {}) {
    super(fields);
    this.#replies = replies;
  }

  override _llmType(): string {
    return "scripted";
  }

  /** The script knows its tool by name. */
  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const reply = this.#replies[Math.min(this.#asked++, this.#replies.length - 1)];
    if (!reply) throw new Error("the script is empty");
    const message =
      "code" in reply ? this.#createCall(reply.code) : new AIMessage(reply.say(String(messages.at(-1)?.content)));
    return { generations: [{ text: message.text, message }] };
  }

  #createCall(source: string): AIMessage {
    const call = {
      type: "tool_call" as const,
      id: `call_${this.#asked}`,
      name: TOOL_NAMES.javascript,
      args: { source },
    };
    return new AIMessage({ content: "", tool_calls: [call] });
  }
}
