/**
 * What all nodes of one graph share: the deployment's options, its policy, the pipeline, and the settings of a run.
 * Holds no state of any run; what a caller's context asks for is lowered here, once a node.
 */

import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { SandboxError } from "../errors.ts";
import { type ResolvedGraphOptions, resolveRunOptions } from "../options.ts";
import { showValue } from "../options-check.ts";
import { askInstead } from "../policy/ask-instead.ts";
import { createPolicy, type Policy } from "../policy/evaluate.ts";
import type { CallLimits, Language, Receipt } from "../types.ts";
import { createGrants, type Grants, hashInput } from "./grants.ts";
import { createPipeline, type Pipeline } from "./pipeline.ts";
import { listTools } from "./tool-names.ts";
import type { TurnRules } from "./turn.ts";

export interface RunSettings extends TurnRules {
  endOn: "success" | "answer";
  limits: Readonly<CallLimits>;
  /** All of them have to allow a call. */
  policies: readonly Policy[];
  /** Their names, for receipts. */
  policyName: string;
  /** False where no rule of them asks: then no call ever waits for a person. */
  mayAsk: boolean;
}

export interface Core {
  readonly tools: ReadonlyMap<string, Language>;
  readonly layers: readonly string[];
  readonly hasModel: boolean;
  /** Whether a call of that name is this graph's to answer. */
  isOurs(name: unknown): boolean;
  readonly pipeline: Pipeline;
  readonly policy: Policy;
  /** Names of the policies that a caller's context may add. */
  readonly policyNames: readonly string[];
  readonly limits: Readonly<CallLimits>;
  readonly grants: Grants;
  /** Of `input` as JSON: a part of what is approved. */
  readonly inputSha256: string;
  onReceipt(receipt: Receipt): void;
  /** @throws SandboxError INVALID_OPTIONS where the context is wrong */
  settingsOf(config: LangGraphRunnableConfig): RunSettings;
}

/** @throws SandboxError INVALID_OPTIONS where the policy is wrong */
export function createCore(options: ResolvedGraphOptions, hasModel: boolean): Core {
  const policy = askInstead(createPolicy(options.policy), options.ask);
  const tools = listTools(options.sandbox.languages);
  const offered = new Map(options.policies.map((given) => createPolicy(given)).map((made) => [made.name, made]));

  const findPolicies = (name: string | undefined): Policy[] => {
    if (name === undefined) return [policy];
    const further = offered.get(name);
    if (further !== undefined) return [policy, further];
    const names = [...offered.keys()].join(", ") || "nothing: this deployment offers no policy";
    throw new SandboxError("INVALID_OPTIONS", `context: policy: expected one of ${names}, got ${showValue(name)}`);
  };

  return {
    tools,
    hasModel,
    isOurs: (name) => options.unknownTools === "reject" || (typeof name === "string" && tools.has(name)),
    policy,
    policyNames: [...offered.keys()],
    layers: options.sandbox.layers,
    limits: options.limits,
    grants: createGrants(options),
    inputSha256: hashInput(options.input),
    pipeline: createPipeline(options),
    onReceipt: (receipt) => options.onReceipt?.(receipt),
    settingsOf(config) {
      const run = resolveRunOptions(options, config.context);
      const policies = findPolicies(run.policy);
      const mayAsk = policies.some((one) => one.mayAsk);
      return { ...run, tools, policies, mayAsk, policyName: policies.map(({ name }) => name).join("+") };
    },
  };
}
