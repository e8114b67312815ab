/**
 * A question to a real model through the agent graph: its calls as they come on stderr, its answer on stdout.
 * Must not start anything without a key, and must never print one.
 */

import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { Outcome } from "../types.ts";
import type { CommonOptions } from "./command-options.ts";
import { EXIT, UsageError } from "./fault.ts";
import { formatObservationText, formatProgram } from "./layout.ts";
import { toOneLine, toPrintable } from "./printable.ts";
import { loadPolicy, openReceipts, openSandbox } from "./resources.ts";
import { isEndingBySignal } from "./shutdown.ts";
import { createStyle, type Style } from "./style.ts";

const DEFAULT_MODEL = "gpt-4.1-mini";
const MODEL_TIMEOUT_MS = 120_000;

const HOW = `A question needs a model. Set these and ask again:

  export OPENAI_API_KEY=…          a key; any text where the server wants none
  export OPENAI_BASE_URL=…         for any OpenAI-compatible server (OpenRouter, a local one)
  export SALLYPORT_MODEL=…         its model; ${DEFAULT_MODEL} where not set

Without a key, the tour shows the same graph with a scripted model: call the command with no arguments.`;

interface ModelSettings {
  readonly apiKey: string;
  readonly baseURL?: string;
  readonly model: string;
}

function readBaseUrl(text: string | undefined): { baseURL?: string } {
  if (!text) return {};
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return { baseURL: text };
  throw new UsageError("OPENAI_BASE_URL: expected an address such as https://openrouter.ai/api/v1, got something else");
}

function readModelSettings(): ModelSettings | undefined {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: base, SALLYPORT_MODEL: model } = process.env;
  if (!apiKey) return undefined;
  return { apiKey, model: model || DEFAULT_MODEL, ...readBaseUrl(base) };
}

async function createModel({ apiKey, baseURL, model }: ModelSettings) {
  const { ChatOpenAI } = await import("@langchain/openai");
  const configuration = baseURL === undefined ? {} : { configuration: { baseURL } };
  return new ChatOpenAI({ model, apiKey, maxRetries: 2, timeout: MODEL_TIMEOUT_MS, ...configuration });
}

/** What a person who waits may want to see of a new message. */
function formatNews(message: BaseMessage, style: Style): string[] {
  if (ToolMessage.isInstance(message)) return [...formatObservationText(String(message.content), style), ""];
  if (!AIMessage.isInstance(message)) return [];
  return (message.tool_calls ?? []).flatMap(({ name, args }) => {
    const code = typeof args.source === "string" ? formatProgram(args.source, style) : [];
    return [`  ${style.dim("the model calls")} ${toOneLine(name)}`, ...code];
  });
}

interface End {
  readonly answer: string;
  readonly outcome: Outcome | null;
}

async function runAgent(question: string, settings: ModelSettings, options: CommonOptions): Promise<End> {
  const policy = await loadPolicy(options.policy);
  const sandbox = await openSandbox(options, {}, policy);
  const { createCodeExecutionGraph } = await import("../graph/workflow.ts");
  const graph = createCodeExecutionGraph({
    sandbox,
    policy,
    model: await createModel(settings),
    endOn: "answer",
    ...(await openReceipts(options)),
  });
  const style = createStyle(process.stderr);
  let messages: readonly BaseMessage[] = [];
  let outcome: Outcome | null = null;
  const shown = new Set<string | undefined>();
  for await (const state of await graph.stream({ messages: [new HumanMessage(question)] }, { streamMode: "values" })) {
    if (isEndingBySignal()) break;
    messages = state.messages ?? messages;
    outcome = state.outcome ?? null;
    const news = messages.filter(({ id }) => !shown.has(id));
    for (const { id } of news) shown.add(id);
    const lines = news.flatMap((message) => formatNews(message, style));
    if (lines.length > 0) process.stderr.write(`${lines.join("\n")}\n`);
  }
  return { answer: messages.at(-1)?.text ?? "", outcome };
}

/** Asks, shows the way, prints the answer. */
export async function askQuestion(question: string, options: CommonOptions): Promise<number> {
  const settings = readModelSettings();
  if (!settings) {
    process.stderr.write(`${HOW}\n`);
    return EXIT.fault;
  }
  const { answer, outcome } = await runAgent(question, settings, options);
  if (outcome?.kind === "answer") {
    process.stdout.write(`${toPrintable(answer)}\n`);
    return EXIT.ok;
  }
  process.stderr.write(
    `The model gave no answer: the run ended as ${outcome?.kind ?? "nothing"} after ${outcome?.turns ?? 0} turns.\n`,
  );
  return EXIT.notOk;
}
