/**
 * What has happened since the last human message, read from the messages: turns, their success, failures of one source.
 * Pure. Believes the ToolMessages' content, which decides how often the model is asked, never what is run.
 */

import type { BaseMessage } from "@langchain/core/messages";
import { parseObservationText } from "../protocol/json.ts";
import type { Language } from "../types.ts";
import { type Answers, findAnswers } from "./answers.ts";
import { readArguments } from "./arguments.ts";
import { textOf } from "./fields.ts";
import { type RawCall, readRawCalls } from "./raw-calls.ts";
import { countTurns, isOurs, sinceLastHuman, type TurnRules } from "./turn.ts";

export interface Progress {
  turns: number;
  /** True where every call of ours in the last turn is answered with an ok. */
  lastTurnOk: boolean;
  /** The last observation, as the model got it. */
  observation: string | null;
}

export function readProgress(
  messages: readonly BaseMessage[],
  rules: Pick<TurnRules, "tools" | "unknownTools">,
): Progress {
  const recent = sinceLastHuman(messages);
  const position = recent.findLastIndex((message) => message.getType() === "ai");
  const answers = findAnswers(recent, position);
  const calls = readRawCalls(recent[position]).filter((call) => isOurs(call, rules));
  const oks = calls.map((call) => parseObservationText(answers.get(call.givenId ?? "")?.content)?.ok === true);
  const last = recent.findLast(
    (message) => parseObservationText(message.content) !== null && message.getType() === "tool",
  );
  return {
    turns: countTurns(messages, rules),
    lastTurnOk: oks.length > 0 && oks.every(Boolean),
    observation: textOf(last?.content) ?? null,
  };
}

/** Ends that say nothing about the source: to send it again is reasonable. */
const NOT_ITS_FAULT = new Set(["queue_timeout", "cancelled", "unavailable"]);

/** How many calls since the last human message had this very source and failed. */
export function countIdenticalFailures(
  messages: readonly BaseMessage[],
  call: { language: Language; source: string },
  rules: TurnRules,
): number {
  const recent = sinceLastHuman(messages);
  const isFailure = (raw: RawCall, answers: Answers): boolean => {
    const status = parseObservationText(answers.get(raw.givenId ?? "")?.content);
    if (status === null || status.ok || NOT_ITS_FAULT.has(status.status)) return false;
    if (raw.givenName === null || rules.tools.get(raw.givenName) !== call.language) return false;
    const reading = readArguments(raw, rules.limits);
    return reading.ok && reading.source === call.source;
  };
  return recent.reduce((failures, message, position) => {
    if (message.getType() !== "ai") return failures;
    const answers = findAnswers(recent, position);
    return failures + readRawCalls(message).filter((raw) => isFailure(raw, answers)).length;
  }, 0);
}
