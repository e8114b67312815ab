/**
 * What all nodes of one graph share: the deployment's options, its policy, the pipeline, and the settings of a run.
 * Holds no state of any run; what a caller's context asks for is lowered here, once a node.
 */

import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { SandboxError } from "../errors.ts";
import { showValue } from "../options-check.ts";
import type { ResolvedGraphOptions, TenantOf } from "../options-graph.ts";
import { resolveRunOptions } from "../options-run.ts";
import { askInstead } from "../policy/ask-instead.ts";
import { createPolicy, type Policy } from "../policy/evaluate.ts";
import { A_TENANT, isTenant } from "../tenant.ts";
import type { CallLimits, Language, Receipt } from "../types.ts";
import type { Gate } from "./admit.ts";
import { createGrants, type Grants, hashInput } from "./grants.ts";
import { createPipeline, type Pipeline } from "./pipeline.ts";
import { deriveSealKey } from "./seal.ts";
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
  /** The one call that is looked at, where nodes are asked about one at a time; absent: all calls of the turn. */
  readonly only?: string;
  readonly gate: Gate;
  isClosed(): boolean;
  readonly pipeline: Pipeline;
  readonly policy: Policy;
  /** Names of the policies that a caller's context may add. */
  readonly policyNames: readonly string[];
  readonly limits: Readonly<CallLimits>;
  readonly grants: Grants;
  /** Of `input` as JSON: a part of what is approved. */
  readonly inputSha256: string;
  onReceipt(receipt: Receipt): void;
  /** Whose run it is; undefined where the deployment tells none apart. @throws SandboxError INVALID_OPTIONS */
  tenantOf(config: LangGraphRunnableConfig): string | undefined;
  /** @throws SandboxError INVALID_OPTIONS where the context is wrong */
  settingsOf(config: LangGraphRunnableConfig): RunSettings;
}

/**
 * Checked here, where the operator's own code is at fault: further in, a wrong one would look like a sandbox that is out of
 * order. The words of what it throws stay in `cause`: an agent's tool node hands a model the message of any fault.
 */
function askTenant(tenantOf: TenantOf | undefined, config: LangGraphRunnableConfig): string | undefined {
  let given: unknown;
  try {
    given = tenantOf?.(config);
  } catch (cause) {
    throw new SandboxError("INVALID_OPTIONS", "tenant: the function that says whose run it is has failed", { cause });
  }
  if (given === undefined || isTenant(given)) return given;
  throw new SandboxError("INVALID_OPTIONS", `tenant: expected ${A_TENANT} or undefined, got ${showValue(given)}`);
}

/** @throws SandboxError INVALID_OPTIONS where the policy is wrong */
export function createCore(options: ResolvedGraphOptions, hasModel: boolean): Core {
  const policy = askInstead(createPolicy(options.policy), options.ask);
  const tools = listTools(options.sandbox.languages);
  const sealKey = deriveSealKey(options.approvalKey);
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
    gate: {
      isOurs: (name) => options.unknownTools === "reject" || (typeof name === "string" && tools.has(name)),
      argumentBytes: options.limits.argumentBytes,
    },
    policy,
    policyNames: [...offered.keys()],
    // One of somebody else's making may not say.
    isClosed: () => options.sandbox.isClosed?.() === true,
    layers: options.sandbox.layers,
    limits: options.limits,
    grants: createGrants(options),
    inputSha256: hashInput(options.input),
    pipeline: createPipeline(options),
    onReceipt: (receipt) => options.onReceipt?.(receipt),
    tenantOf: (config) => askTenant(options.tenant, config),
    settingsOf(config) {
      const run = resolveRunOptions(options, config.context);
      const policies = findPolicies(run.policy);
      const mayAsk = policies.some((one) => one.mayAsk);
      return { ...run, tools, policies, mayAsk, sealKey, policyName: policies.map(({ name }) => name).join("+") };
    },
  };
}
