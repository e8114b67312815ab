/**
 * A pool of workers of one role: checkout, release, recycle, discard. A bounded queue with its own time limit.
 * Keeps `size` workers at work and `standby` ready beside them, whatever the number of tenants; knows nothing of what
 * they run.
 */

import { SandboxError } from "../errors.ts";
import { IdleWorkers } from "./idle-workers.ts";
import { monotonicMs } from "./supervisor-memory.ts";
import type { WorkerProcess } from "./worker-process.ts";

export interface PoolOptions {
  /** Workers at work at the same time. */
  size: number;
  /** Workers kept ready beyond them. */
  standby: number;
  runsPerWorker: number;
  /** A worker that still makes what its next run needs is passed over for one that has rested, beside other callers, too. */
  restsLong?: boolean;
  maxQueue: number;
  queueTimeoutMs: number;
  /** Of its workers, for a person: where none starts, others may. Default: "worker". */
  name?: string;
  startWorker(): Promise<WorkerProcess>;
}

/** Why there was no worker to be had. */
export type NoWorker = "queue_timeout" | "queue_full" | "cancelled" | "unavailable";

export type Checkout = { worker: WorkerProcess } | { none: NoWorker; detail: string };

interface Waiter {
  tenant: string;
  give(checkout: Checkout): void;
}

/** Starts that may fail in a row before those who wait are told. */
const MAX_FAILED_STARTS = 3;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 5000;

export class Pool {
  readonly #options: PoolOptions;
  readonly #idle = new IdleWorkers();
  readonly #all = new Set<WorkerProcess>();
  readonly #waiting = new Set<Waiter>();
  readonly #starting = new Set<Promise<unknown>>();
  #coming: Promise<void> | null = null;
  #isUp = false;
  #busy = 0;
  #failedStarts = 0;
  #retry: NodeJS.Timeout | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** False before the first worker was ready. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /**
   * Resolves when the first worker is ready; the others start after it, so that they do not slow its start. Called again, it
   * is the same start, or the next one where that failed.
   * @throws SandboxError ENGINE_UNAVAILABLE where none comes up.
   */
  start(): Promise<void> {
    this.#coming ??= this.#comeUp().catch((error: unknown) => {
      this.#coming = null;
      throw error;
    });
    return this.#coming;
  }

  async #comeUp(): Promise<void> {
    await this.#startOne().catch((cause: Error) => this.#startAny(cause));
    this.#isUp = true;
    this.#refill();
  }

  /**
   * `start`, waited for as long as for a worker. Null when it is up, else why it was waited for no longer: it comes up all
   * the same, for the next call.
   */
  async waitUntilUp(signal?: AbortSignal): Promise<"cancelled" | "queue_timeout" | null> {
    if (this.#isUp) return null;
    if (signal?.aborted) return "cancelled";
    let giveUp = (_why: "cancelled" | "queue_timeout"): void => {};
    const given = new Promise<"cancelled" | "queue_timeout">((resolve) => {
      giveUp = resolve;
    });
    const onAbort = () => giveUp("cancelled");
    const timer = setTimeout(() => giveUp("queue_timeout"), this.#options.queueTimeoutMs);
    signal?.addEventListener("abort", onAbort);
    try {
      return await Promise.race([this.start().then(() => null), given]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** One start may fail for reasons of its own: as many are tried as the pool is to have. */
  async #startAny(cause: Error): Promise<void> {
    const others = this.#options.size + this.#options.standby - 1;
    await Promise.any(Array.from({ length: others }, () => this.#startOne())).catch(() => {
      // What is known in plain words is a sentence of its own.
      if (cause instanceof SandboxError) throw cause;
      const { name = "worker" } = this.#options;
      throw new SandboxError("ENGINE_UNAVAILABLE", `No ${name} can start: ${cause.message}`, { cause });
    });
  }

  /** A worker at once where one is idle, without a turn of the event loop. Tenants never get each other's. */
  checkoutNow(tenant = ""): WorkerProcess | null {
    const isFree = this.#busy < this.#options.size && this.#waiting.size === 0 && this.#closing === null;
    return isFree ? this.#takeIdle(tenant) : null;
  }

  /** @param askedAtMs since when it is waited for, on the monotonic clock */
  checkout(signal?: AbortSignal, tenant = "", askedAtMs = monotonicMs()): Promise<Checkout> {
    const worker = this.checkoutNow(tenant);
    if (worker) return Promise.resolve({ worker });
    // As those that waited when it closed.
    if (this.#closing || signal?.aborted) return Promise.resolve({ none: "cancelled", detail: "" });
    if (this.#waiting.size >= this.#options.maxQueue) {
      return Promise.resolve({ none: "queue_full", detail: `${this.#waiting.size} calls wait already` });
    }
    return new Promise((resolve) => {
      const leftMs = Math.ceil(Math.max(0, this.#options.queueTimeoutMs - (monotonicMs() - askedAtMs)));
      const timer = setTimeout(() => waiter.give({ none: "queue_timeout", detail: "" }), leftMs);
      const onAbort = () => waiter.give({ none: "cancelled", detail: "" });
      const waiter: Waiter = {
        tenant,
        give: (checkout) => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          this.#waiting.delete(waiter);
          resolve(checkout);
        },
      };
      signal?.addEventListener("abort", onAbort);
      this.#waiting.add(waiter);
      this.#serve();
      if (this.#failedStarts >= MAX_FAILED_STARTS && this.#all.size === 0) this.#refill();
    });
  }

  /** Gives a worker back: used again, or replaced where it has done its runs. */
  release(worker: WorkerProcess): void {
    this.#busy--;
    if (!worker.isUsable) return this.#serve();
    if (worker.runs >= this.#options.runsPerWorker || this.#closing) worker.kill("discarded");
    else this.#idle.put(worker);
    this.#serve();
  }

  /** Gives a worker back that must not be used again. */
  discard(worker: WorkerProcess): void {
    worker.kill("discarded");
    this.release(worker);
  }

  /** Ends every worker; idempotent. Resolves when no process is left. */
  close(): Promise<void> {
    this.#closing ??= this.#endAll();
    return this.#closing;
  }

  async #endAll(): Promise<void> {
    if (this.#retry) clearTimeout(this.#retry);
    for (const waiter of [...this.#waiting]) waiter.give({ none: "cancelled", detail: "" });
    for (const worker of this.#all) worker.kill("cancelled");
    await Promise.allSettled([...this.#starting]);
    await Promise.all([...this.#all].map((worker) => worker.whenEnded));
  }

  /**
   * Alone, a caller gets the worker used last that has its next isolate ready: measured, a run 5 ms after the last takes half
   * as long as on the one that has rested longest. Beside others, the one used last: as many working sets as cores stay
   * warm, and the standby stands by. Measured: a quarter more runs a second.
   */
  #takeIdle(tenant: string): WorkerProcess | null {
    const preference = this.#busy > 0 && !this.#options.restsLong ? "newest" : "warmest";
    const worker = this.#idle.take(tenant, preference);
    if (!worker) return null;
    this.#busy++;
    // So that the next tenant finds the standby ready, too.
    if (this.#idle.isShared && this.#idle.owned > this.#options.size) this.#idle.takeOther(tenant)?.kill("discarded");
    return worker;
  }

  /** In order, but for those whose tenant has no worker yet: for each of them a place is kept and a worker made free. */
  #serve(): void {
    let kept = 0;
    for (const waiter of this.#waiting) {
      if (this.#busy + kept >= this.#options.size) return;
      const worker = this.#takeIdle(waiter.tenant);
      if (worker) waiter.give({ worker });
      else this.#makeRoom(++kept, waiter.tenant);
    }
  }

  /** Sees to it that `wanted` new workers are on their way, at the cost of idle ones of other tenants. */
  #makeRoom(wanted: number, tenant: string): void {
    const ending = [...this.#all].filter(({ isUsable }) => !isUsable).length;
    if (this.#starting.size + ending < wanted) this.#idle.takeOther(tenant)?.kill("discarded");
  }

  #startOne(): Promise<void> {
    const start = (async () => {
      const worker = await this.#options.startWorker();
      this.#failedStarts = 0;
      this.#all.add(worker);
      void worker.whenEnded.then(() => {
        this.#all.delete(worker);
        this.#idle.forget(worker);
        this.#refill();
      });
      if (this.#closing) worker.kill("discarded");
      else this.#idle.put(worker);
      this.#serve();
    })();
    this.#starting.add(start);
    void start.catch(() => {}).finally(() => this.#starting.delete(start));
    return start;
  }

  #refill(): void {
    if (this.#closing || this.#retry) return;
    const wanted = this.#options.size + this.#options.standby - this.#all.size - this.#starting.size;
    for (let index = 0; index < wanted; index++) {
      this.#startOne().catch((error: Error) => this.#onFailedStart(error));
    }
  }

  #onFailedStart(error: Error): void {
    this.#failedStarts++;
    if (this.#failedStarts >= MAX_FAILED_STARTS && this.#all.size === 0) {
      for (const waiter of [...this.#waiting]) waiter.give({ none: "unavailable", detail: error.message });
    }
    if (this.#closing || this.#retry) return;
    const delay = Math.min(FIRST_RETRY_MS * 2 ** Math.min(this.#failedStarts, 10), LAST_RETRY_MS);
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#refill();
    }, delay);
    this.#retry.unref();
  }
}
