/**
 * The agents of the tour: scripts for a chat model that needs no key, and what the graph must make of them.
 * Data only. The model is scripted; the graph, the policy and the sandbox are the real ones.
 */

import type { JsonValue, OutcomeKind } from "../types.ts";
import type { ScriptedReply } from "./scripted-model.ts";

export interface TourAgent {
  readonly title: string;
  readonly question: string;
  readonly replies: readonly ScriptedReply[];
  readonly input?: JsonValue;
  readonly expect: { readonly kind: OutcomeKind; readonly turns: number; readonly statuses: readonly string[] };
  readonly remark: string;
}

function resultOf(observation: string): string {
  const { result } = JSON.parse(observation) as { result?: JsonValue };
  return JSON.stringify(result ?? null);
}

export const TOUR_AGENTS: readonly TourAgent[] = [
  {
    title: "An agent that repairs its own code",
    question: "What does an order cost on average?",
    input: [{ total: 30 }, { total: 45 }, { total: 51 }],
    replies: [
      { code: "const sum = orders.reduce((sum, order) => sum + order.total, 0);\nreturn sum / orders.length;" },
      { code: "const sum = input.reduce((sum, order) => sum + order.total, 0);\nreturn sum / input.length;" },
      { say: (observation) => `An order costs ${resultOf(observation)} on average.` },
    ],
    expect: { kind: "answer", turns: 2, statuses: ["error", "ok"] },
    remark: "The observation told it what was wrong; the second try was right; then it answered.",
  },
  {
    title: "An agent that never gets there",
    question: "What is the weather in Paris right now?",
    replies: [
      { code: 'return await fetch("https://weather.example/paris");' },
      { code: 'const request = new XMLHttpRequest();\nrequest.open("GET", "https://weather.example/paris");' },
      { code: 'return new WebSocket("wss://weather.example/paris");' },
      { code: 'return navigator.sendBeacon("https://weather.example/paris");' },
    ],
    expect: { kind: "cap", turns: 3, statuses: [] },
    remark: "The counter ended the graph. Every call has its answer, so the chat can go on.",
  },
];
