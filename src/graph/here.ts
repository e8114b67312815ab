/**
 * What a node sees when it is entered: the turn read from the messages, the run's settings, the steps that are left.
 * The same for every node and router; state that a caller could have patched plays no part in it.
 */

import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { closedFault } from "../errors.ts";
import { readMessages } from "./admit.ts";
import type { Core, RunSettings } from "./core.ts";
import { createTell, type Tell } from "./events.ts";
import { list } from "./fields.ts";
import { isWaiting } from "./records.ts";
import { type NodeName, roomLeft, stepOf, stepsFrom } from "./room.ts";
import { readSpent, type Spent } from "./spent.ts";
import type { GraphState, GraphUpdate } from "./state.ts";
import { readTurn, type Turn } from "./turn.ts";

export interface Here {
  messages: readonly BaseMessage[];
  settings: RunSettings;
  turn: Turn;
  /** What the thread's runs have used before this turn. */
  spent: Spent;
  /** Node steps that are left, this one included. */
  room: number;
  tell: Tell;
  /** True in the first node of this run. */
  isFirst: boolean;
  /** What the run's first node adds to its update. */
  lastStep: GraphUpdate;
}

/**
 * `node`: whose steps to the answers have to be left if anything is to run.
 * @throws SandboxError POOL_CLOSED
 */
export function lookAround(core: Core, state: GraphState, config: LangGraphRunnableConfig, node: NodeName): Here {
  const messages = readMessages(state.messages);
  const settings = core.settingsOf(config);
  const room = roomLeft(config, state.lastStep);
  const step = stepOf(config);
  const isFirst = typeof state.lastStep !== "number" && step !== null;
  // A question that is put again only waits: whoever answers it begins a run, with steps of its own.
  const onlyAsks = node === "approve" && !isFirst && list(state.calls).some(isWaiting);
  const whole = readTurn(messages, settings, room >= (onlyAsks ? 1 : stepsFrom(node, settings.mayAsk)));
  const { only } = core;
  const turn = only === undefined ? whole : { ...whole, calls: whole.calls.filter(({ id }) => id === only) };
  // Begun with a closed sandbox, it is a fault; closed while it went on, its calls end as cancelled.
  if (isFirst && turn.calls.length > 0 && core.isClosed()) throw closedFault();
  return {
    messages,
    settings,
    turn,
    spent: readSpent(state, messages),
    room,
    tell: createTell(config.writer, turn.number),
    isFirst,
    lastStep: isFirst ? { lastStep: step + room - 1 } : {},
  };
}
