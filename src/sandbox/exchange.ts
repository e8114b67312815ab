/**
 * What passes between a worker process and whoever asked it: one message out, one answer or the worker's end back.
 * Types only.
 */

import type { HostMessage, ManifestMessage, OutcomeMessage, ProbedMessage, Stream } from "../protocol/messages.ts";
import type { Cause } from "./supervisor-memory.ts";

/** Why a worker ended, as far as the host knows. */
export interface WorkerEnd {
  cause: Cause | "crashed" | "protocol";
  /** Signal or exit code, for the operator. */
  detail: string;
  endedAtMs: number;
}

export type Answer = OutcomeMessage | ManifestMessage | ProbedMessage;

/**
 * How an exchange went: an answer, or the worker's end. `wallMs` is bounded by what this process saw of it; `waitedMs` passed
 * in the worker before it began.
 */
export type ExchangeEnd = { hasStarted: boolean; waitedMs: number; wallMs: number } & (
  | { answer: Answer }
  | { ended: WorkerEnd }
);

export interface Exchange {
  message: HostMessage;
  timeoutMs: number;
  graceMs: number;
  /** What the worker may take before it acknowledges the start; none where absent. */
  readyMs?: number;
  /** Memory above what the worker holds when it is ready, in MiB. */
  memoryMb: number;
  /** Above what it holds when the message is sent, where the kernel keeps count; where absent, the whole worker's limit alone holds. */
  kernelMb?: number;
  /** With its stream where parts of the line were told. */
  onLine?(line: string, stream?: Stream): void;
  onPart?(text: string, stream: Stream): void;
  onTruncated?(): void;
}
