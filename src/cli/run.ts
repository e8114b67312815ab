/**
 * `run`: one program as a tool call through the real graph, and what a model would be told of it.
 * Must not go round the graph: what is printed is the graph's own observation, with the receipt's usage.
 * Must not import LangGraph at once: a wrong file is answered before, and the worker starts while it is loaded.
 */

import { TOOL_NAMES } from "../graph/tool-names.ts";
import { LIMITS } from "../limits.ts";
import { printJson } from "../protocol/json.ts";
import { encodeInput } from "../sandbox/input.ts";
import type { JsonValue, Language, Observation, Receipt } from "../types.ts";
import { type LimitSettings, languageOfFile } from "./arguments.ts";
import type { RunOptions } from "./command-options.ts";
import { EXIT, UsageError } from "./fault.ts";
import { formatObservation } from "./observation.ts";
import { loadPolicy, openReceipts, openSandbox } from "./resources.ts";
import { readJson, readText } from "./source.ts";
import { createStyle } from "./style.ts";

/** Escaped in JSON, one character takes at most six bytes. */
const BYTES_PER_CHARACTER = 6;
const ROOM_FOR_KEYS = 64;

/** A longer program means longer arguments; nobody should have to set two limits for one wish. */
function matchArgumentBytes(limits: LimitSettings): LimitSettings {
  if (limits.sourceChars === undefined || limits.argumentBytes !== undefined) return limits;
  const needed = limits.sourceChars * BYTES_PER_CHARACTER + ROOM_FOR_KEYS;
  const { default: usual, max } = LIMITS.argumentBytes;
  return { ...limits, argumentBytes: Math.min(max, Math.max(usual, needed)) };
}

async function readInput(file: string, inputFile: string | undefined): Promise<{ input?: JsonValue }> {
  if (inputFile === undefined) return {};
  if (inputFile === "-" && file === "-") {
    throw new UsageError("program and --input cannot both come from standard input: name a file for one of them");
  }
  const input = await readJson(inputFile);
  try {
    encodeInput(input);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^run: /, "") : String(error);
    throw new UsageError(`--input ${JSON.stringify(inputFile)}: ${reason}`, { cause: error });
  }
  return { input: input as JsonValue };
}

/** To a person; a model is told what arguments to send. */
function describeEmpty(file: string): string {
  if (file !== "-") return `The program in ${JSON.stringify(file)} is empty: there is nothing to run.`;
  return "The program is empty: name a file, or send one to standard input.";
}

const UNUSED: Observation["usage"] = { wallMs: 0, cpuMs: null, queueMs: 0 };

/** The graph's observation of the one call, with what the receipt knows of its cost. */
function readObservation(text: string, receipts: readonly Receipt[]): Observation {
  const observation = JSON.parse(text) as Omit<Observation, "usage">;
  return { ...observation, usage: receipts.at(-1)?.usage ?? UNUSED };
}

async function runThroughGraph(source: string, language: Language, input: { input?: JsonValue }, options: RunOptions) {
  const policy = await loadPolicy(options.policy);
  const limits = matchArgumentBytes(options.limit);
  const [sandbox, { createCodeExecutionGraph }, { AIMessage }] = await Promise.all([
    openSandbox(options, { workers: 1, standby: 0, limits }, policy),
    import("../graph/workflow.ts"),
    import("@langchain/core/messages"),
  ]);
  if (!sandbox.languages.includes(language)) {
    throw new UsageError(`there is no engine for ${language} in this version: use ${sandbox.languages.join(" or ")}`);
  }
  const graph = createCodeExecutionGraph({ sandbox, policy, maxTurns: 1, ...input, ...(await openReceipts(options)) });
  const call = { type: "tool_call" as const, id: "call_1", name: TOOL_NAMES[language], args: { source } };
  const { outcome, receipts } = await graph.invoke({ messages: [new AIMessage({ content: "", tool_calls: [call] })] });
  if (typeof outcome?.observation !== "string") throw new Error("the graph ended without an observation");
  return readObservation(outcome.observation, receipts ?? []);
}

/** Runs the program in `file` (standard input where absent) and prints its observation. */
export async function runFile(file = "-", options: RunOptions): Promise<number> {
  const language = options.language ?? languageOfFile(file);
  const source = await readText(file);
  const input = await readInput(file, options.input);
  const observation = await runThroughGraph(source, language, input, options);
  const shown = options.json
    ? [printJson(observation)]
    : formatObservation(
        source === "" ? { ...observation, message: describeEmpty(file) } : observation,
        source,
        createStyle(process.stdout),
      );
  process.stdout.write(`${shown.join("\n")}\n`);
  return observation.ok ? EXIT.ok : EXIT.notOk;
}
