/**
 * Carries one prepared run through a worker, and tells its end as an observation. The clock is the worker's and the
 * supervisor's, never this event loop's: a caller that blocks is not a program that ran long.
 */

import { hash } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { OutcomeMessage } from "../protocol/messages.ts";
import type { Execution, Language, Observation, RunRequest } from "../types.ts";
import { failure, fromEnd, fromNoWorker, fromOutcome } from "./observation.ts";
import type { Pool } from "./pool.ts";
import { createPrinted } from "./printed.ts";
import type { PreparedRun } from "./request.ts";
import { monotonicMs } from "./supervisor-memory.ts";
import { type ExchangeEnd, REST_LIMITS_MS, type WorkerProcess } from "./worker-process.ts";

/**
 * Memory that the watchdog allows above the isolate's own limit, for what V8 needs around a heap. In Python also for code
 * that is compiled when it is first used, and for the next interpreter, which is made while a program runs.
 */
export const MEMORY_SLACK_MB: Readonly<Record<Language, number>> = { javascript: 64, python: 192 };
/**
 * The same that the kernel allows, above what the worker holds when the program is sent; the watchdog counts from what it
 * held when it was new. Not Python's, whose next interpreters are made while its worker rests.
 */
const KERNEL_SLACK_MB: Readonly<Record<Language, number | null>> = { javascript: 32, python: null };
/** What a run may wait in its worker, before its clock starts, for an interpreter that is still being made. */
const READY_MS: Readonly<Record<Language, number>> = { javascript: 0, python: REST_LIMITS_MS.python };
/** A worker that ended before it began the run is no fault of the program: another may try. */
const MAX_ATTEMPTS = 3;
/** After these an engine is not used again. */
const RECYCLED_AFTER = new Set(["timeout", "memory_limit"]);

export async function runInPool(
  pool: Pool,
  prepared: PreparedRun,
  request: RunRequest,
  graceMs: number,
): Promise<Execution> {
  const { signal, tenant } = request;
  if (signal?.aborted) return notRun(fromNoWorker("cancelled", "", 0));
  if (signal) setMaxListeners(0, signal);
  const askedAtMs = monotonicMs();
  const notUp = pool.isUp ? null : await pool.waitUntilUp(signal);
  if (notUp !== null) return notRun(fromNoWorker(notUp, "", monotonicMs() - askedAtMs));
  for (let attempt = 1; ; attempt++) {
    // Not awaited where a worker is idle: the program is on its way before the caller's next line.
    const idle = pool.checkoutNow(tenant);
    const checkout = idle ? { worker: idle } : await pool.checkout(signal, tenant, askedAtMs);
    const queueMs = monotonicMs() - askedAtMs;
    if ("none" in checkout) return notRun(fromNoWorker(checkout.none, checkout.detail, queueMs));
    if (signal?.aborted) {
      pool.release(checkout.worker);
      return notRun(fromNoWorker("cancelled", "", queueMs));
    }
    const execution = await runOnWorker(pool, checkout.worker, prepared, request, graceMs, queueMs);
    if (execution) return execution;
    if (attempt === MAX_ATTEMPTS) return notRun(fromNoWorker("unavailable", "", queueMs));
  }
}

function notRun(observation: Observation): Execution {
  return { observation, engineSha256: null };
}

/** Null where the worker ended before it began. */
async function runOnWorker(
  pool: Pool,
  worker: WorkerProcess,
  prepared: PreparedRun,
  { signal, onStdout }: RunRequest,
  graceMs: number,
  queueMs: number,
): Promise<Execution | null> {
  const { message, limits } = prepared;
  let listenerFault: { error: unknown } | null = null;
  const printed = createPrinted(message, (line) => {
    try {
      // What was on its way when the caller gave up is kept, and not told any more.
      if (!signal?.aborted) onStdout?.(line);
    } catch (error) {
      // The caller's own fault, and no reason to end a worker: thrown when the run is over.
      listenerFault ??= { error };
    }
  });
  const onAbort = () => worker.kill("cancelled");
  signal?.addEventListener("abort", onAbort);
  const memoryMb = limits.memoryMb + MEMORY_SLACK_MB[message.language];
  const kernelSlackMb = KERNEL_SLACK_MB[message.language];
  const ending = worker.exchange({
    message,
    timeoutMs: limits.timeoutMs,
    graceMs,
    memoryMb,
    ...(kernelSlackMb !== null && { kernelMb: limits.memoryMb + kernelSlackMb }),
    readyMs: READY_MS[message.language],
    onLine: printed.line,
    onPart: printed.part,
    onTruncated: printed.truncate,
  });
  // What the answer must tell; made while the worker runs, when nobody waits for it.
  const sourceSha256 = hash("sha256", message.source);
  const end = await ending;
  const output = printed.end();
  signal?.removeEventListener("abort", onAbort);
  // Waiting for an interpreter is waiting, wherever it was.
  const waitedMs = READY_MS[message.language] > 0 ? end.waitedMs : 0;
  const parts = { ...output, queueMs: queueMs + waitedMs, wallMs: end.wallMs };
  const execution = settle(end, pool, worker, prepared, sourceSha256, parts);
  if (listenerFault) throw (listenerFault as { error: unknown }).error;
  return execution;
}

/** Gives the worker back and tells what came of the run. Null where it ended before it began. */
function settle(
  end: ExchangeEnd,
  pool: Pool,
  worker: WorkerProcess,
  { limits }: PreparedRun,
  sourceSha256: string,
  parts: Parameters<typeof fromOutcome>[2],
): Execution | null {
  if ("ended" in end) {
    pool.discard(worker);
    if (!end.hasStarted && end.ended.cause !== "cancelled") return null;
    return { observation: fromEnd(end.ended, limits, parts), engineSha256: null };
  }
  const outcome = end.answer as OutcomeMessage;
  if (outcome.sha256 !== sourceSha256 || !isReadable(outcome, limits.resultBytes)) {
    pool.discard(worker);
    const words = "The worker broke the protocol and was discarded.";
    return { observation: failure({ ...parts, status: "crashed", message: words }), engineSha256: null };
  }
  if (RECYCLED_AFTER.has(outcome.status) || outcome.error === "EngineError") pool.discard(worker);
  else pool.release(worker);
  return { observation: fromOutcome(outcome, limits, parts), engineSha256: outcome.sha256 };
}

/** More than the guest's encoder makes of its deepest value. */
const MAX_JSON_DEPTH = 1000;

/** Without an own `__proto__`, and no deeper than an encoder of ours writes. */
function isPlainJson(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return false;
    const objects = level.filter((value) => typeof value === "object" && value !== null) as object[];
    if (objects.some((value) => Object.hasOwn(value, "__proto__"))) return false;
    level = objects.flatMap((value) => Object.values(value) as unknown[]);
  }
  return true;
}

/** A result that is JSON, and no larger than was allowed. */
function isReadable({ status, result }: OutcomeMessage, resultBytes: number): boolean {
  if (status !== "ok") return true;
  try {
    return result !== undefined && Buffer.byteLength(result) <= resultBytes && isPlainJson(JSON.parse(result));
  } catch {
    return false;
  }
}
