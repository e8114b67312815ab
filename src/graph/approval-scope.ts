/**
 * In which thread, namespace and message an approval is asked for, by whom it is answered, and whether anybody can be.
 * Reads what LangGraph and its server put into the config; what it does not find counts as absent.
 */

import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { GrantScope } from "../policy/grant.ts";
import type { Core } from "./core.ts";
import { field, textOf } from "./fields.ts";
import type { Here } from "./here.ts";

/** A node's namespace ends in its own name and task: what stands before is the graph's. */
function graphNamespace(config: LangGraphRunnableConfig): string {
  const namespace = textOf(field(config.configurable, "checkpoint_ns")) ?? "";
  return namespace.split("|").slice(0, -1).join("|");
}

export function scopeOf(core: Core, { settings, turn }: Here, config: LangGraphRunnableConfig): GrantScope {
  return {
    thread: textOf(field(config.configurable, "thread_id")) ?? "",
    namespace: graphNamespace(config),
    messageId: turn.message?.id ?? "",
    turn: turn.number,
    policyDigests: settings.policies.map(({ digest }) => digest),
    limits: settings.limits,
    inputSha256: core.inputSha256,
  };
}

/** Without a checkpointer nothing can wait for a person. */
export function canAsk(config: LangGraphRunnableConfig): boolean {
  const checkpointer = field(config.configurable, "__pregel_checkpointer");
  return typeof checkpointer === "object" && checkpointer !== null;
}

const MAX_IDENTITY_CHARS = 200;

/** Who resumed, as the server's authentication says. */
export function whoApproves(config: LangGraphRunnableConfig): string {
  const user = field(config.configurable, "langgraph_auth_user");
  const identity = textOf(field(user, "identity")) ?? textOf(field(config.configurable, "langgraph_auth_user_id"));
  return identity === undefined || identity === "" ? "unverified" : identity.slice(0, MAX_IDENTITY_CHARS);
}
