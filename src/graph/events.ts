/**
 * Custom stream events of a call's way through the graph, for whoever listens with streamMode "custom".
 * Tells, never decides; a stream nobody reads costs nothing and stops nothing.
 */

import type { JsonValue } from "../types.ts";

export type SallyportEventName = "validated" | "decided" | "approved" | "started" | "stdout" | "finished";

export interface SallyportEvent {
  v: 1;
  type: "sallyport";
  event: SallyportEventName;
  callId: string;
  turn: number;
  /** Host's clock, milliseconds since 1970. */
  at: number;
  data: JsonValue;
}

export type Tell = (event: SallyportEventName, callId: string, data: { [key: string]: JsonValue }) => void;

export function createTell(writer: ((chunk: unknown) => void) | undefined, turn: number): Tell {
  return (event, callId, data) => {
    writer?.({ v: 1, type: "sallyport", event, callId, turn, at: Date.now(), data } satisfies SallyportEvent);
  };
}
