/**
 * `batch`: JSON lines of programs in, one observation a line out, in the order of the input.
 * Must not let a program past the policy, and must not let one line's end touch another's.
 */

import { availableParallelism } from "node:os";
import { InspectionError } from "../errors.ts";
import { createManifestReader, type ReadManifest } from "../graph/manifests.ts";
import { writeReceipt } from "../graph/receipts.ts";
import { deniedBy, notInspected } from "../graph/refusals.ts";
import { TOOL_NAMES } from "../graph/tool-names.ts";
import type { Policy } from "../policy/evaluate.ts";
import type { Decision, Execution, Facts, Observation, Receipt, Sandbox } from "../types.ts";
import { answerLines, sandboxForLines } from "./answer-lines.ts";
import { type BatchLine, decodeBatchLine } from "./batch-line.ts";
import type { BatchOptions } from "./command-options.ts";
import { createEngineFaults, type EngineFaults } from "./engine-faults.ts";
import { loadPolicy, openReceipts, openSandbox } from "./resources.ts";

interface Runner {
  readonly sandbox: Sandbox;
  readonly policy: Policy;
  readonly readManifest: ReadManifest;
  readonly faults: EngineFaults;
  /** Absent where nobody wants any. */
  readonly onReceipt?: (receipt: Receipt) => void;
}

interface Judged {
  /** Null where nothing was decided. */
  readonly decision: Decision | null;
  /** Null where the line may run. */
  readonly refusal: Observation | null;
}

async function judge({ sandbox, policy, readManifest, faults }: Runner, line: BatchLine): Promise<Judged> {
  const { language, source, limits } = line;
  const fits = source.length <= (limits.sourceChars ?? sandbox.limits.sourceChars);
  // What the sandbox will turn away for its length or its language is not worth reading.
  if (!fits || !sandbox.languages.includes(language)) return { decision: null, refusal: null };
  const facts: Facts = { tool: TOOL_NAMES[language], language, source, identicalFailures: 0 };
  try {
    const manifest = policy.readsManifest ? { manifest: await readManifest({ language, source }) } : {};
    const decision = policy.evaluate({ ...facts, ...manifest });
    // Nobody can be asked between two lines of a batch: what needs a person's approval does not run either.
    return { decision, refusal: decision.effect === "allow" ? null : deniedBy(decision) };
  } catch (error) {
    if (error instanceof InspectionError) return { decision: null, refusal: notInspected(error) };
    return { decision: null, refusal: faults.answer(error, language) };
  }
}

async function execute({ sandbox, policy, faults }: Runner, line: BatchLine): Promise<Execution> {
  const { language, source, input, limits } = line;
  const request = { language, source, limits, permits: policy.permits(language) };
  try {
    return await sandbox.execute(input === undefined ? request : { ...request, input });
  } catch (error) {
    return { observation: faults.answer(error, language), engineSha256: null };
  }
}

/** A line is a call of its own: the first turn of nobody else. */
function receiptOf({ sandbox, policy }: Runner, line: BatchLine, { decision }: Judged, execution: Execution): Receipt {
  const { id, language, source } = line;
  return writeReceipt({
    ...execution,
    id: String(id),
    name: TOOL_NAMES[language],
    verdict: { valid: true, language, source },
    turn: 1,
    policy: policy.name,
    decision,
    approval: null,
    edited: null,
    layers: sandbox.layers,
  });
}

async function runLine(runner: Runner, line: BatchLine): Promise<Observation> {
  const judged = await judge(runner, line);
  const { refusal } = judged;
  const execution = refusal ? { observation: refusal, engineSha256: null } : await execute(runner, line);
  // Before the answer is told: no answer without its receipt.
  runner.onReceipt?.(receiptOf(runner, line, judged, execution));
  return execution.observation;
}

/** Answers every line of standard input. */
export async function runBatch(options: BatchOptions): Promise<number> {
  const concurrency = options.concurrency ?? availableParallelism();
  const policy = await loadPolicy(options.policy);
  const receipts = await openReceipts(options);
  const sandbox = await openSandbox(options, sandboxForLines(concurrency), policy);
  const faults = createEngineFaults();
  const runner = { sandbox, policy, faults, readManifest: createManifestReader(sandbox), ...receipts };
  await answerLines(concurrency, async (input) => {
    const line = decodeBatchLine(input);
    return { id: line.id, ...(await runLine(runner, line)) };
  });
  return faults.exitCode();
}
