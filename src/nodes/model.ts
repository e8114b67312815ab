/**
 * model: asks the chat model, with our tools bound, and takes what it says as a message that a checkpoint keeps whole.
 * Is not asked over the cap or without steps left; runs nothing and judges no call.
 */

import type { BaseMessage, SystemMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { keepRawText } from "../graph/admit.ts";
import type { AskModel } from "../graph/ask.ts";
import { remakeMessage } from "../graph/content.ts";
import type { Core } from "../graph/core.ts";
import { writeOutcome } from "../graph/ending.ts";
import { lookAround } from "../graph/here.ts";
import { completeHistory } from "../graph/history.ts";
import { own } from "../graph/own.ts";
import { readProgress } from "../graph/progress.ts";
import { readRawCalls } from "../graph/raw-calls.ts";
import { stepsToAsk } from "../graph/room.ts";
import type { GraphState, GraphUpdate } from "../graph/state.ts";
import { isOurs } from "../graph/turn.ts";

export function createModelNode(core: Core, ask: AskModel, systemMessage: SystemMessage | null) {
  return async function model(state: GraphState, config: LangGraphRunnableConfig): Promise<GraphUpdate> {
    const { messages, settings, room, lastStep } = lookAround(core, state, config, "validate");
    const { turns, lastTurnOk, observation } = readProgress(messages, settings);
    const mayOnlyAnswer = turns === 0 || (lastTurnOk && settings.endOn === "answer");
    const isOver = turns > settings.maxTurns || (turns === settings.maxTurns && !mayOnlyAnswer);
    if (isOver || room < stepsToAsk(mayOnlyAnswer, settings.mayAsk)) {
      return { ...lastStep, calls: own([]), outcome: own(writeOutcome("cap", turns, observation)) };
    }
    const prompt = completeHistory(messages);
    const reply = await ask(systemMessage === null ? prompt : [systemMessage, ...prompt], config);
    const message = withFreshId(keepRawText(reply), messages);
    const hasOurs = readRawCalls(message).some((call) => isOurs(call, settings));
    const kind = hasOurs ? null : message.text.trim().length > 0 ? "answer" : "no_calls";
    return { ...lastStep, messages: [message], calls: own([]), outcome: own(writeOutcome(kind, turns, observation)) };
  };
}

/** Some servers give every answer the same id, and LangGraph would put it in the earlier one's place. */
function withFreshId(reply: BaseMessage, messages: readonly BaseMessage[]): BaseMessage {
  if (reply.id === undefined || messages.every((message) => message.id !== reply.id)) return reply;
  return remakeMessage(reply, { id: undefined });
}
