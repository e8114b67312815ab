/**
 * Custom stream events of a call's way through the graph, for whoever listens with streamMode "custom".
 * Tells, never decides; a stream nobody reads costs nothing and stops nothing.
 */

import type { Effect, Language, Reason, Status, Usage } from "../types.ts";
import type { RejectionError } from "./refusals.ts";

/** What each event says in `data`. */
export interface SallyportEventData {
  validated:
    | { ok: true; name: string; language: Language; sourceChars: number }
    | { ok: false; name: string; error: RejectionError; message: string };
  /** `effect` is null where the program could not be inspected, so that nothing was decided. */
  decided: { effect: Effect | null; reasons: Reason[] };
  /** A person's answer to a call that asked. */
  approved: { answer: "approve" | "edit" | "reject" };
  started: { language: Language };
  /** Lines printed since the last such event of the call: while the program runs, at most one event every 50 ms. */
  stdout: { lines: string[] };
  finished: { ok: boolean; status: Status; usage: Usage };
}

export type SallyportEventName = keyof SallyportEventData;

/** One event of `streamMode: "custom"`. Narrow it by `event`. */
export type SallyportEvent = {
  [Name in SallyportEventName]: {
    v: 1;
    type: "sallyport";
    event: Name;
    callId: string;
    /** Turns since the last human message, this one included. */
    turn: number;
    /** Host's clock, milliseconds since 1970. */
    at: number;
    data: SallyportEventData[Name];
  };
}[SallyportEventName];

export type Tell = <Name extends SallyportEventName>(
  event: Name,
  callId: string,
  data: SallyportEventData[Name],
) => void;

export function createTell(writer: ((chunk: unknown) => void) | undefined, turn: number): Tell {
  return (event, callId, data) => {
    try {
      writer?.({ v: 1, type: "sallyport", event, callId, turn, at: Date.now(), data });
    } catch {
      // Whoever listened has gone: that is no reason to end a run.
    }
  };
}
