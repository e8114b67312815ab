/**
 * Where the graph goes next: pure functions of the messages, the sealed records and the steps that are left.
 * Labels, not nodes: the workflow's path maps say what they lead to.
 */

import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { Core } from "./core.ts";
import { lookAround } from "./here.ts";
import { findRecord, isWaiting } from "./records.ts";
import { roomAtStart } from "./room.ts";
import type { GraphState } from "./state.ts";
import type { Turn } from "./turn.ts";

/** What somebody is asked about waits; what else has no sealed answer goes on: the execute edge decides about it again. */
function routeDecided(state: GraphState, turn: Turn): "allowed" | "ask" | "denied" {
  const valid = turn.calls.filter(({ verdict }) => verdict.valid);
  const records = valid.map((call) => findRecord(turn, call, state.calls));
  if (records.some(isWaiting)) return "ask";
  return records.some((record) => record?.observation === undefined) ? "allowed" : "denied";
}

export function createRouters(core: Core) {
  return {
    /** Without room for a single node nothing can be answered; with room for one, the executor's answers are. */
    routeStart(_state: GraphState, config: LangGraphRunnableConfig): "model" | "validate" | "no room" | "no steps" {
      const room = roomAtStart(config);
      if (room < 1) return "no steps";
      if (core.hasModel) return "model";
      return room < 2 ? "no room" : "validate";
    },

    routeModel(state: GraphState, config: LangGraphRunnableConfig): "calls" | "answer" | "no_calls" | "cap" {
      if (state.outcome?.kind === "cap") return "cap";
      const { turn } = lookAround(core, state, config, "validate");
      if (turn.calls.length > 0) return "calls";
      return state.outcome?.kind === "answer" ? "answer" : "no_calls";
    },

    routeValidate(state: GraphState, config: LangGraphRunnableConfig): "valid" | "rejected" | "no_calls" {
      const { turn } = lookAround(core, state, config, "validate");
      if (turn.calls.length === 0) return "no_calls";
      return turn.calls.some((call) => call.verdict.valid) ? "valid" : "rejected";
    },

    routePolicy(state: GraphState, config: LangGraphRunnableConfig): "allowed" | "ask" | "denied" {
      return routeDecided(state, lookAround(core, state, config, "policy").turn);
    },

    /** `ask`: the answer settled nothing, or not all, and the question is put again. */
    routeApprove(state: GraphState, config: LangGraphRunnableConfig): "allowed" | "ask" | "denied" {
      return routeDecided(state, lookAround(core, state, config, "approve").turn);
    },

    /** `next`: the model may be asked again, which it checks itself. */
    routeObserve(state: GraphState): "success" | "cap" | "answer" | "cancelled" | "next" {
      const kind = state.outcome?.kind;
      if (kind === undefined || kind === "no_calls") return core.hasModel ? "next" : "answer";
      return kind;
    },
  };
}
