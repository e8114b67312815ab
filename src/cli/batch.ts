/**
 * `batch`: JSON lines of programs in, one observation a line out, in the order of the input.
 * Must not let a program past the policy, and must not let one line's end touch another's.
 */

import { availableParallelism } from "node:os";
import { InspectionError } from "../errors.ts";
import { createManifestReader, type ReadManifest } from "../graph/manifests.ts";
import { deniedBy, notInspected } from "../graph/refusals.ts";
import { TOOL_NAMES } from "../graph/tool-names.ts";
import type { Policy } from "../policy/evaluate.ts";
import type { Facts, Observation, Sandbox } from "../types.ts";
import { answerLines, sandboxForLines } from "./answer-lines.ts";
import { type BatchLine, decodeBatchLine } from "./batch-line.ts";
import type { BatchOptions } from "./command-options.ts";
import { EXIT } from "./fault.ts";
import { loadPolicy, openSandbox } from "./resources.ts";

interface Runner {
  readonly sandbox: Sandbox;
  readonly policy: Policy;
  readonly readManifest: ReadManifest;
}

/** The policy's refusal; undefined where the line may run. */
async function findRefusal(
  { sandbox, policy, readManifest }: Runner,
  line: BatchLine,
): Promise<Observation | undefined> {
  const { language, source, limits } = line;
  const fits = source.length <= (limits.sourceChars ?? sandbox.limits.sourceChars);
  // What the sandbox will turn away for its length or its language is not worth reading.
  if (!fits || !sandbox.languages.includes(language)) return undefined;
  const facts: Facts = { tool: TOOL_NAMES[language], language, source, identicalFailures: 0 };
  try {
    const manifest = policy.readsManifest ? { manifest: await readManifest({ language, source }) } : {};
    const decision = policy.evaluate({ ...facts, ...manifest });
    // Nobody can be asked between two lines of a batch: what needs a person's approval does not run either.
    return decision.effect === "allow" ? undefined : deniedBy(decision);
  } catch (error) {
    if (error instanceof InspectionError) return notInspected(error);
    throw error;
  }
}

async function runLine(runner: Runner, line: BatchLine): Promise<Observation> {
  const refusal = await findRefusal(runner, line);
  if (refusal) return refusal;
  const { language, source, input, limits } = line;
  const request = { language, source, limits, permits: runner.policy.permits(language) };
  return runner.sandbox.run(input === undefined ? request : { ...request, input });
}

/** Answers every line of standard input. */
export async function runBatch(options: BatchOptions): Promise<number> {
  const concurrency = options.concurrency ?? availableParallelism();
  const policy = await loadPolicy(options.policy);
  const sandbox = await openSandbox(options, sandboxForLines(concurrency), policy);
  const runner = { sandbox, policy, readManifest: createManifestReader(sandbox) };
  await answerLines(concurrency, async (input) => {
    const line = decodeBatchLine(input);
    return { id: line.id, ...(await runLine(runner, line)) };
  });
  return EXIT.ok;
}
