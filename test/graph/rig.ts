/**
 * What the graph's tests share: messages in short, a chat model that follows a script, and reading what came back.
 * The sandbox and the policy are the real ones; `listen` only notes what is handed to an engine.
 */

import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { expect } from "vitest";
import type { SandboxOptions } from "../../src/options.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Observation, Outcome, Receipt, RunRequest, Sandbox } from "../../src/types.ts";
import { PATIENT } from "../fixtures/use-sandbox.ts";

export const TOOL = "run_javascript_sandboxed";

export interface Call {
  id?: string;
  name: string;
  args: Record<string, unknown>;
  type: "tool_call";
}

export function call(id: string, source: string, name = TOOL): Call {
  return { type: "tool_call", id, name, args: { source } };
}

export function ai(...calls: Call[]): AIMessage {
  return new AIMessage({ content: "", tool_calls: calls });
}

/** An AI message whose calls have any shape at all. */
export function aiRaw(fields: object): AIMessage {
  return new AIMessage({ content: "", ...fields } as ConstructorParameters<typeof AIMessage>[0]);
}

export function human(text = "Compute."): HumanMessage {
  return new HumanMessage(text);
}

/** Each program that was really handed to an engine. */
export function listen(sandbox: Sandbox): { sandbox: Sandbox; executed: string[] } {
  const executed: string[] = [];
  const execute = (request: RunRequest) => {
    executed.push(request.source);
    return sandbox.execute(request);
  };
  return { sandbox: { ...sandbox, execute }, executed };
}

export async function createListener(options: SandboxOptions = {}) {
  const limits = { ...PATIENT.limits, ...options.limits };
  const sandbox = await createSandbox({ ...PATIENT, ...options, limits });
  const listener = listen(sandbox);
  return { ...listener, close: () => sandbox.close() };
}

export interface End {
  messages: BaseMessage[];
  outcome: Outcome | null;
  receipts: Receipt[];
}

export function toolMessages(state: { messages?: BaseMessage[] }): ToolMessage[] {
  return (state.messages ?? []).filter((message) => ToolMessage.isInstance(message));
}

export function observations(state: { messages?: BaseMessage[] }): Observation[] {
  return toolMessages(state).map((message) => JSON.parse(String(message.content)) as Observation);
}

export function statuses(state: { messages?: BaseMessage[] }): string[] {
  return observations(state).map((observation) => observation.error ?? observation.status);
}

export function aiMessages(state: { messages?: BaseMessage[] }): AIMessage[] {
  return (state.messages ?? []).filter((message) => AIMessage.isInstance(message));
}

/** Every call of every AI message has one answer right behind it, every answer has a call, and no call is malformed. */
export function expectAnswered(state: { messages?: BaseMessage[] }): void {
  let open: string[] = [];
  for (const message of state.messages ?? []) {
    if (ToolMessage.isInstance(message)) {
      expect(open).toContain(message.tool_call_id);
      open.splice(open.indexOf(message.tool_call_id), 1);
      continue;
    }
    expect(open).toEqual([]);
    if (!AIMessage.isInstance(message)) continue;
    expect(message.invalid_tool_calls ?? []).toEqual([]);
    open = (message.tool_calls ?? []).map((made) => made.id ?? "no id");
    expect(new Set(open).size).toBe(open.length);
    for (const made of message.tool_calls ?? []) expect(made.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  }
  expect(open).toEqual([]);
}

type Reply = (prompt: BaseMessage[], asked: number) => AIMessage | Promise<AIMessage>;

/** Follows `reply`, and keeps every prompt that it was given. */
export class FakeModel extends BaseChatModel {
  readonly prompts: BaseMessage[][] = [];
  boundTools: unknown[] = [];
  readonly #reply: Reply;

  constructor(reply: Reply) {
    super({});
    this.#reply = reply;
  }

  override _llmType(): string {
    return "fake";
  }

  override bindTools(tools: unknown[]): this {
    this.boundTools = tools;
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.prompts.push(messages);
    const message = await this.#reply(messages, this.prompts.length);
    return { generations: [{ text: message.text, message }] };
  }
}

/** A model that says one thing after the other, the last one again and again. */
export function scripted(...lines: (string | (() => AIMessage))[]): FakeModel {
  return new FakeModel((_prompt, asked) => {
    const line = lines[Math.min(asked, lines.length) - 1] ?? "";
    return typeof line === "string" ? new AIMessage(line) : line();
  });
}

/** Nobody has answered in time: for what must not hang. */
export function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`not finished within ${ms} ms`)), ms);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
