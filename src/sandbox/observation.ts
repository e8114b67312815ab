/**
 * From what came out of a worker, or did not, to the one observation. Words for every cause stand here.
 * Pure: the status is the host's record; the guest's text is cut and passed on as data.
 */

import { MAX_MESSAGE_CHARS, MAX_REFUSAL_CHARS } from "../limits.ts";
import type { OutcomeMessage } from "../protocol/messages.ts";
import type { CallLimits, JsonValue, Observation, Status, Truncated } from "../types.ts";
import type { NoWorker } from "./pool.ts";
import type { WorkerEnd } from "./worker-process.ts";

/** The product's own names for a cause; the guest's exception types stand beside them only with status `error`. */
const ERROR_NAMES: Record<Exclude<Status, "ok" | "error" | "denied">, string> = {
  rejected: "InvalidArguments",
  timeout: "Timeout",
  memory_limit: "MemoryLimit",
  output_limit: "OutputLimit",
  crashed: "WorkerCrashed",
  queue_timeout: "QueueTimeout",
  cancelled: "Cancelled",
  unavailable: "Unavailable",
};

/** At most `max` characters, never ending inside a surrogate pair. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const code = text.charCodeAt(max - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? max - 1 : max);
}

interface Parts {
  status: Status;
  error?: string;
  message?: string;
  line?: number;
  column?: number;
  stdout?: string[];
  stdoutTruncated?: boolean;
  wallMs?: number;
  cpuMs?: number | null;
  queueMs?: number;
}

/** An observation of a call that has no value. */
export function failure({ status, error, message = "", stdout = [], ...parts }: Parts): Observation {
  const cut = cutText(message, error === "PolicyDenied" ? MAX_REFUSAL_CHARS : MAX_MESSAGE_CHARS);
  const truncated: Truncated[] = [];
  if (parts.stdoutTruncated) truncated.push("stdout");
  if (cut !== message) truncated.push("message");
  return {
    ok: false,
    status,
    stdout,
    error: error ?? ERROR_NAMES[status as keyof typeof ERROR_NAMES] ?? "EngineError",
    message: cut,
    ...(parts.line !== undefined && { line: parts.line }),
    ...(parts.column !== undefined && { column: parts.column }),
    ...(truncated.length > 0 && { truncated }),
    usage: usage(parts),
  };
}

function usage({ wallMs = 0, cpuMs = null, queueMs = 0 }: Pick<Parts, "wallMs" | "cpuMs" | "queueMs">) {
  const round = (ms: number) => Math.round(Math.max(0, ms) * 100) / 100;
  return { wallMs: round(wallMs), cpuMs: cpuMs === null ? null : round(cpuMs), queueMs: round(queueMs) };
}

const MEANINGS: Record<"timeout" | "memory_limit", (limits: CallLimits) => string> = {
  timeout: ({ timeoutMs }) => `The program ran longer than ${timeoutMs} ms.`,
  memory_limit: ({ memoryMb }) => `The program used more than ${memoryMb} MiB of memory.`,
};

/** What the engine said, in the host's words where the cause is a limit. */
export function fromOutcome(outcome: OutcomeMessage, limits: CallLimits, parts: Partial<Parts>): Observation {
  const { status, error, message, line, column, result } = outcome;
  if (status === "ok") {
    return {
      ok: true,
      status,
      result: JSON.parse(result ?? "null") as JsonValue,
      stdout: parts.stdout ?? [],
      ...(parts.stdoutTruncated && { truncated: ["stdout"] }),
      usage: usage({ ...parts, cpuMs: outcome.cpuMs }),
    };
  }
  const words = status === "timeout" || status === "memory_limit" ? MEANINGS[status](limits) : (message ?? "");
  return failure({
    ...parts,
    cpuMs: outcome.cpuMs,
    status,
    message: words,
    ...(status === "error" && { error: error ?? "EngineError" }),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  });
}

/** A worker that ended before it answered: by the recorded cause. */
export function fromEnd(end: WorkerEnd, limits: CallLimits, parts: Partial<Parts>): Observation {
  switch (end.cause) {
    case "deadline":
      return failure({ ...parts, status: "timeout", message: MEANINGS.timeout(limits) });
    case "memory":
      return failure({ ...parts, status: "memory_limit", message: MEANINGS.memory_limit(limits) });
    case "cancelled":
    case "discarded":
      return failure({ ...parts, status: "cancelled", message: "The call was cancelled." });
    case "protocol":
      return failure({ ...parts, status: "crashed", message: "The worker broke the protocol and was discarded." });
    default:
      return failure({
        ...parts,
        status: "crashed",
        message: `The worker process ended unexpectedly (${end.detail}).`,
      });
  }
}

export function fromNoWorker(none: NoWorker, detail: string, queueMs: number): Observation {
  const because = detail === "" ? "" : `: ${detail}`;
  switch (none) {
    case "queue_timeout":
      return failure({
        status: "queue_timeout",
        queueMs,
        message: "No worker became free in time. The code did not run; try again.",
      });
    case "queue_full":
      return failure({
        status: "unavailable",
        queueMs,
        message: `The queue is full${because}. The code did not run; try again later.`,
      });
    case "unavailable":
      return failure({
        status: "unavailable",
        queueMs,
        message: "No worker can be started at present. The code did not run.",
      });
    default:
      return failure({ status: "cancelled", queueMs, message: "The call was cancelled before it ran." });
  }
}
