/**
 * Carries one program through an inspector, and tells what it mentions. Where it was read and could not be understood, the
 * answer is a manifest of which nothing is known; where it was not read at all, that is an error and no manifest.
 */

import { randomUUID } from "node:crypto";
import { InspectionError } from "../errors.ts";
import { ASPECTS, blankManifest } from "../manifest.ts";
import type { ManifestMessage } from "../protocol/messages.ts";
import type { InspectRequest, Language, Manifest } from "../types.ts";
import { fromNoWorker } from "./observation.ts";
import type { NoWorker, Pool } from "./pool.ts";
import { monotonicMs } from "./supervisor-memory.ts";
import type { ExchangeEnd, WorkerProcess } from "./worker-process.ts";

/** Reading a program takes milliseconds; a parser that takes longer has met something made to hurt it. */
const INSPECT_TIMEOUT_MS = 2000;
const INSPECT_MEMORY_MB = 256;
/** An inspector that ended before it began is no fault of the program: another may try. */
const MAX_ATTEMPTS = 3;

/**
 * @throws InspectionError where no inspector read it; what `signal` was aborted with; SandboxError ENGINE_UNAVAILABLE where no
 * inspector comes up
 */
export async function inspectInPool(pool: Pool, request: InspectRequest, graceMs: number): Promise<Manifest> {
  const { signal } = request;
  signal?.throwIfAborted();
  if (signal === undefined) return inspectUntilRead(pool, request, graceMs);
  // Reading goes on for whoever gave up: it is short, and to end an inspector would make the next caller wait.
  const reading = inspectUntilRead(pool, request, graceMs);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    void reading.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

async function inspectUntilRead(pool: Pool, request: InspectRequest, graceMs: number): Promise<Manifest> {
  const { language, source, signal } = request;
  const askedAtMs = monotonicMs();
  const notUp = pool.isUp ? null : await pool.waitUntilUp(signal);
  if (notUp !== null) throw notRead(notUp, "");
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const idle = pool.checkoutNow();
    const checkout = idle ? { worker: idle } : await pool.checkout(signal, "", askedAtMs);
    if ("none" in checkout) throw notRead(checkout.none, checkout.detail);
    const end = await readOn(pool, checkout.worker, request, graceMs);
    if ("answer" in end) return (end.answer as ManifestMessage).manifest;
    if (end.ended.cause === "cancelled") throw notRead("cancelled", "");
    if (end.hasStarted) return unreadable(language, source);
  }
  throw notRead("unavailable", "");
}

async function readOn(
  pool: Pool,
  worker: WorkerProcess,
  { language, source }: InspectRequest,
  graceMs: number,
): Promise<ExchangeEnd> {
  const end = await worker.exchange({
    message: { type: "inspect", id: randomUUID(), language, source },
    timeoutMs: INSPECT_TIMEOUT_MS,
    graceMs,
    memoryMb: INSPECT_MEMORY_MB,
  });
  if ("answer" in end) pool.release(worker);
  else pool.discard(worker);
  return end;
}

/** In the words in which a run is told the same. */
function notRead(none: NoWorker, detail: string): InspectionError {
  const { status, message = "" } = fromNoWorker(none, detail, 0);
  return new InspectionError(status as InspectionError["status"], message);
}

/** Nothing is known of it, so that every deny rule matches. */
function unreadable(language: Language, source: string): Manifest {
  return { ...blankManifest(language, source), undetermined: [...ASPECTS] };
}
