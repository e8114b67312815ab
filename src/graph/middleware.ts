/**
 * Code execution for `createAgent`: the graph's validation, policy, approval, execution and cap as middleware.
 * Loads langchain, so nothing but its own entry of the package imports it. Code runs where the agent runs its tools, after
 * every other middleware has had its say about a call; what was approved here and passed over there is made good.
 */

import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { RemoveMessage } from "@langchain/core/messages";
import { Command, getConfig, type LangGraphRunnableConfig, REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import { AIMessage, createMiddleware } from "langchain";
import { z } from "zod";
import { createValidate } from "../nodes/validate.ts";
import { type BoundOptions, resolveMiddlewareOptions } from "../options-graph.ts";
import { keepRawText } from "./admit.ts";
import { createCore } from "./core.ts";
import { answerOne, considerCalls, stateOf, tellRefusals } from "./door.ts";
import { field, list } from "./fields.ts";
import { completeHistory } from "./history.ts";
import { readProgress } from "./progress.ts";
import { findRecord, type SealedRecord } from "./records.ts";
import { settleArguments } from "./rewrite.ts";
import { createToolsOf } from "./tools.ts";
import { readTurn } from "./turn.ts";

/** What `codeExecutionMiddleware` takes. Everything but `sandbox` may be left out. */
export interface MiddlewareOptions extends BoundOptions {
  /** `success`: a turn whose calls are all ok ends the agent. `answer`: the model's words do. Default `answer`. */
  endOn?: "success" | "answer";
}

/** Records of the turn's calls, with grants, from the question to the run. Believed as far as they prove themselves. */
const stateSchema = z.object({ _sallyportCalls: z.array(z.custom<SealedRecord>()).default([]) });

const findRecords = (state: unknown) => list(field(state, "_sallyportCalls")) as readonly SealedRecord[];

function readConfig(): LangGraphRunnableConfig {
  return getConfig() as LangGraphRunnableConfig;
}

/** A middleware sends the agent to its model; posted messages come by an edge, and have passed no middleware yet. */
function wasJumpedTo(config: LangGraphRunnableConfig): boolean {
  return list(field(config.metadata, "langgraph_triggers")).includes("__pregel_push");
}

/**
 * Middleware that gives an agent of langchain's `createAgent` the tools that run code, and what governs them.
 * Ask for approvals with the policy's own rules: the prebuilt human-in-the-loop middleware drops approved calls of a
 * message where it rejects another.
 * @throws SandboxError INVALID_OPTIONS
 */
export function codeExecutionMiddleware(options: MiddlewareOptions) {
  const resolved = resolveMiddlewareOptions(options);
  const core = createCore(resolved, true);
  const tools = createToolsOf(core, resolved.sandbox, findRecords);
  const validate = createValidate(core);

  /** Calls of ours that were allowed and then passed over, because another middleware went back to the model. */
  const answerOpen = async (messages: readonly BaseMessage[], state: unknown): Promise<ToolMessage[]> => {
    const config = readConfig();
    if (!wasJumpedTo(config)) return [];
    const turn = readTurn(messages, core.settingsOf(config));
    if (turn.calls.length === 0) return [];
    const stored = findRecords(state);
    const wasConsidered = turn.calls.every((call) => findRecord(turn, call, stored) !== null);
    const records = wasConsidered ? stored : await considerCalls(core, messages, config);
    return Promise.all(turn.calls.map(({ id }) => answerOne(core, messages, records, id, config)));
  };

  return createMiddleware({
    name: "SallyportMiddleware",
    stateSchema,
    tools,

    beforeModel: {
      canJumpTo: ["end"],
      hook: ({ messages }) => {
        const settings = core.settingsOf(readConfig());
        const { turns, lastTurnOk } = readProgress(messages, settings);
        if (turns === 0 || messages.at(-1)?.getType() !== "tool") return undefined;
        const isDone = lastTurnOk && settings.endOn === "success";
        const isOver = turns > settings.maxTurns || (turns === settings.maxTurns && !lastTurnOk);
        return isDone || isOver ? { jumpTo: "end" as const } : undefined;
      },
    },

    wrapModelCall: async (request, handler) => {
      const { messages } = request;
      const answers = await answerOpen(messages, request.state);
      const reply = await handler({ ...request, messages: completeHistory([...messages, ...answers]) });
      if (!AIMessage.isInstance(reply)) return reply;
      const settled = settleArguments(keepRawText(reply), core.settingsOf(readConfig()));
      if (answers.length === 0) return settled as AIMessage;
      const all = new RemoveMessage({ id: REMOVE_ALL_MESSAGES });
      return new Command({ update: { messages: [all, ...messages, ...answers, settled] } });
    },

    afterModel: {
      canJumpTo: ["model", "end"],
      hook: async ({ messages }) => {
        const config = readConfig();
        const settings = core.settingsOf(config);
        const { calls, foreign, number } = readTurn(messages, settings);
        if (calls.length === 0) return undefined;
        // A fault of the deployment, thrown here: thrown by a tool it would be told to the model, and use an approval up.
        core.tenantOf(config);
        await validate(stateOf(messages, []), config);
        const records = await considerCalls(core, messages, config);
        const told = await tellRefusals(core, messages, records, config);
        const update = { messages: told.messages, _sallyportCalls: records };
        if (foreign || told.answered < calls.length) return update;
        return { ...update, jumpTo: number >= settings.maxTurns ? ("end" as const) : ("model" as const) };
      },
    },
  });
}
