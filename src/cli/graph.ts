/**
 * `graph`: JSON lines of messages through the executor graph; messages, outcome and receipts out, in the order of the input.
 * Must not judge a call itself: what is malformed inside one goes in as it is, and comes back answered.
 */

import { availableParallelism } from "node:os";
import { SandboxError } from "../errors.ts";
import { createCodeExecutionGraph } from "../graph/workflow.ts";
import { createPolicy, type Policy } from "../policy/evaluate.ts";
import type { Sandbox } from "../types.ts";
import { answerLines, sandboxForLines } from "./answer-lines.ts";
import type { LimitSettings } from "./arguments.ts";
import type { CommonOptions } from "./command-options.ts";
import { createEngineFaults, type EngineFaults } from "./engine-faults.ts";
import { decodeGraphLine, type GraphLine, type GraphSettings } from "./graph-line.ts";
import { LineRefusal } from "./line-record.ts";
import { encodeMessage } from "./message-output.ts";
import { loadPolicy, openReceipts, openSandbox } from "./resources.ts";

interface GraphMaker {
  readonly sandbox: Sandbox;
  readonly policy: Policy;
  readonly faults: EngineFaults;
  readonly receipts: Awaited<ReturnType<typeof openReceipts>>;
}

function omitGraphLimits({ maxTurns: _turns, maxCallsPerTurn: _calls, ...rest }: LimitSettings): LimitSettings {
  return rest;
}

/** A graph as the line wants it. The line's author is the operator: it may raise what the table lets it raise. */
function createGraph({ sandbox, policy, receipts }: GraphMaker, settings: GraphSettings) {
  const { limits, maxTurns = limits.maxTurns, endOn, unknownTools } = settings;
  const { maxCallsPerTurn } = limits;
  return createCodeExecutionGraph({
    sandbox,
    ...receipts,
    policy: settings.policy === undefined ? policy : createPolicy(settings.policy),
    limits: omitGraphLimits(limits),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxCallsPerTurn === undefined ? {} : { maxCallsPerTurn }),
    ...(endOn === undefined ? {} : { endOn }),
    ...(unknownTools === undefined ? {} : { unknownTools }),
  });
}

async function runGraphLine(maker: GraphMaker, { id, messages, settings }: GraphLine): Promise<object> {
  try {
    const graph = createGraph(maker, settings);
    const state = await graph.invoke({ messages });
    return { id, messages: state.messages.map(encodeMessage), outcome: state.outcome, receipts: state.receipts ?? [] };
  } catch (error) {
    // The line's own policy document or limits are wrong: that is the line's fault, and only its.
    if (error instanceof SandboxError && error.code === "INVALID_OPTIONS") throw new LineRefusal(id, error.message);
    const { ok, status, error: name, message } = maker.faults.answer(error);
    return { id, ok, status, error: name, message };
  }
}

/** Answers every line of standard input. */
export async function runGraphLines(options: CommonOptions): Promise<number> {
  const concurrency = availableParallelism();
  const policy = await loadPolicy(options.policy);
  const receipts = await openReceipts(options);
  const sandbox = await openSandbox(options, sandboxForLines(concurrency), policy);
  const faults = createEngineFaults();
  const maker = { sandbox, policy, receipts, faults };
  await answerLines(concurrency, async (input) => runGraphLine(maker, decodeGraphLine(input)));
  return faults.exitCode();
}
