/**
 * The way of one validated call: decide, then run. Shared by the graph's nodes and by the tools: one implementation.
 * Knows no messages and no state. What it cannot decide is refused; what it may not swallow is thrown.
 */

import { SandboxError } from "../errors.ts";
import type { ResolvedCodeOptions } from "../options-graph.ts";
import type { Policy } from "../policy/evaluate.ts";
import { commonPatterns } from "../policy/name-patterns.ts";
import type {
  CallLimits,
  Decision,
  Execution,
  Facts,
  Manifest,
  Observation,
  Permits,
  ValidatedCall,
} from "../types.ts";
import { mustPass } from "./control-flow.ts";
import { createManifestReader } from "./manifests.ts";
import { closedMeanwhile, deniedBy, notInspected, unavailable } from "./refusals.ts";
import type { Spent } from "./spent.ts";

export interface DecideRequest {
  call: ValidatedCall;
  /** All of them have to allow the call. */
  policies: readonly Policy[];
  identicalFailures: number;
  /** What the thread's runs have used; null where no thread is known. */
  thread: Spent | null;
  signal: AbortSignal | undefined;
}

/** A decision, or why none could be made. `refusal` is null exactly where the call may run. */
export interface Judgement {
  decision: Decision | null;
  /** Null where no rule reads it. */
  manifest: Manifest | null;
  refusal: Observation | null;
}

export interface RunOneRequest {
  call: ValidatedCall;
  policies: readonly Policy[];
  limits: CallLimits;
  /** True where a person has approved it: what a rule asks about is then not taken away. */
  approved: boolean;
  tenant: string | undefined;
  signal: AbortSignal | undefined;
  onStdout: ((line: string) => void) | undefined;
}

export interface Pipeline {
  decide(request: DecideRequest): Promise<Judgement>;
  /** For a person to look at; null where it cannot be made. */
  inspect(call: ValidatedCall, signal: AbortSignal | undefined): Promise<Manifest | null>;
  run(request: RunOneRequest): Promise<Execution>;
}

/** The strictest of several decisions, with the reasons of that strictness. */
export function joinDecisions(decisions: readonly Decision[]): Decision {
  const strictness = ["deny", "ask", "allow"] as const;
  const effect = strictness.find((candidate) => decisions.some((decision) => decision.effect === candidate)) ?? "deny";
  const joined = {
    effect,
    reasons: decisions.filter((decision) => decision.effect === effect).flatMap(({ reasons }) => reasons),
  };
  if (decisions.every(({ wouldBe }) => wouldBe === undefined)) return joined;
  const { wouldBe: _none, ...wouldBe } = joinDecisions(decisions.map((decision) => decision.wouldBe ?? decision));
  return { ...joined, wouldBe };
}

/** What every policy leaves to the guest. */
export function joinPermits(permits: readonly Permits[]): Permits {
  const lists = permits.flatMap((permit) => (permit.globals === undefined ? [] : [permit.globals]));
  const dynamicCode = permits.every((permit) => permit.dynamicCode);
  const imports = permits.flatMap((permit) => (permit.modules === undefined ? [] : [permit.modules]));
  const modules = imports.length === 0 ? {} : { modules: commonPatterns(imports) };
  const [first, ...others] = lists;
  if (first === undefined) return { dynamicCode, ...modules };
  return { dynamicCode, ...modules, globals: first.filter((name) => others.every((list) => list.includes(name))) };
}

function evaluate(policy: Policy, facts: Facts): Decision {
  try {
    return policy.evaluate(facts);
  } catch {
    return { effect: "deny", reasons: [{ rule: "policy", message: "The policy could not decide about this call." }] };
  }
}

/** Whoever began with a closed sandbox was told so: what is met here was closed meanwhile. */
function isClosed(error: unknown): boolean {
  return error instanceof SandboxError && error.code === "POOL_CLOSED";
}

export function createPipeline({ sandbox, input }: Pick<ResolvedCodeOptions, "sandbox" | "input">): Pipeline {
  const readManifest = createManifestReader(sandbox);

  const findManifest = async ({ call, policies, signal }: DecideRequest): Promise<{ manifest?: Manifest }> => {
    if (!policies.some((policy) => policy.readsManifest)) return {};
    return { manifest: await readManifest(call, signal) };
  };

  return {
    async decide(request) {
      const { call, policies, identicalFailures, thread, signal } = request;
      try {
        const found = await findManifest(request);
        const facts: Facts = {
          tool: call.name,
          language: call.language,
          source: call.source,
          identicalFailures,
          ...(thread === null ? {} : { threadRuns: thread.runs, threadMs: thread.timeMs }),
          ...found,
        };
        const decision = joinDecisions(policies.map((policy) => evaluate(policy, facts)));
        const manifest = found.manifest ?? null;
        return { decision, manifest, refusal: decision.effect === "allow" ? null : deniedBy(decision) };
      } catch (error) {
        if (isClosed(error)) return { decision: null, manifest: null, refusal: closedMeanwhile() };
        if (mustPass(error, signal)) throw error;
        return { decision: null, manifest: null, refusal: notInspected(error) };
      }
    },

    async inspect(call, signal) {
      try {
        return await readManifest(call, signal);
      } catch (error) {
        if (isClosed(error)) return null;
        if (mustPass(error, signal)) throw error;
        return null;
      }
    },

    async run({ call, policies, limits, approved, tenant, signal, onStdout }) {
      try {
        const execution = await sandbox.execute({
          language: call.language,
          source: call.source,
          limits,
          permits: joinPermits(policies.map((policy) => policy.permits(call.language, approved))),
          ...(input === undefined ? {} : { input }),
          ...(tenant === undefined ? {} : { tenant }),
          ...(signal === undefined ? {} : { signal }),
          ...(onStdout === undefined ? {} : { onStdout }),
        });
        signal?.throwIfAborted();
        return execution;
      } catch (error) {
        if (isClosed(error)) return { observation: closedMeanwhile(), engineSha256: null };
        if (mustPass(error, signal)) throw error;
        return { observation: unavailable("The program could not be run here. Try again."), engineSha256: null };
      }
    },
  };
}
