/**
 * The workers that wait, and whose they are: a worker that has run a program of one tenant is never given to another.
 * Keeps no process and starts none; the pool does.
 */

import type { WorkerProcess } from "./worker-process.ts";

/**
 * Which of several: the one that has waited longest, the one that was used last, or of those that have rested the one that
 * was used last, whose code and data are still in the processor's caches (where none has rested, the one that waited longest).
 */
export type Preference = "oldest" | "newest" | "warmest";

/** A worker that has run nothing yet may become anybody's. */
export type Owner = string | null;

export class IdleWorkers {
  readonly #waiting: WorkerProcess[] = [];
  readonly #owners = new Map<WorkerProcess, string>();
  /** Owned workers that each owner has. */
  readonly #counts = new Map<string, number>();

  /** Whether workers belong to more than one tenant. */
  get isShared(): boolean {
    return this.#counts.size > 1;
  }

  /** Workers that belong to somebody, waiting or not. */
  get owned(): number {
    return this.#owners.size;
  }

  put(worker: WorkerProcess): void {
    this.#waiting.push(worker);
  }

  /**
   * A usable worker of this tenant or of nobody; from now on it is the tenant's.
   * As long as there is one tenant alone, nobody's are as good as its own.
   */
  take(tenant: string, preference: Preference): WorkerProcess | null {
    const isAlone = this.#counts.size === 0 || (this.#counts.size === 1 && this.#counts.has(tenant));
    const isOwn = (owner: Owner) => owner === tenant || (isAlone && owner === null);
    const nobodys = (owner: Owner) => owner === null;
    const worker = this.#remove(isOwn, preference) ?? (isAlone ? null : this.#remove(nobodys, preference));
    if (worker) this.#own(worker, tenant);
    return worker;
  }

  /** The worker that has waited longest for another tenant than this one; it is not waiting any more. */
  takeOther(tenant: string): WorkerProcess | null {
    return this.#remove((owner) => owner !== null && owner !== tenant, "oldest");
  }

  /** A worker has ended: it belongs to nobody. */
  forget(worker: WorkerProcess): void {
    const owner = this.#owners.get(worker);
    if (owner === undefined) return;
    this.#owners.delete(worker);
    const left = (this.#counts.get(owner) ?? 1) - 1;
    if (left === 0) this.#counts.delete(owner);
    else this.#counts.set(owner, left);
  }

  #own(worker: WorkerProcess, tenant: string): void {
    if (this.#owners.has(worker)) return;
    this.#owners.set(worker, tenant);
    this.#counts.set(tenant, (this.#counts.get(tenant) ?? 0) + 1);
  }

  #remove(fits: (owner: Owner) => boolean, preference: Preference): WorkerProcess | null {
    for (let index = this.#waiting.length - 1; index >= 0; index--) {
      if (!this.#waiting[index]?.isUsable) this.#waiting.splice(index, 1);
    }
    const matches = (worker: WorkerProcess) => fits(this.#owners.get(worker) ?? null);
    const isWanted = (worker: WorkerProcess) => matches(worker) && (preference === "newest" || worker.isRested);
    const last = preference === "oldest" ? -1 : this.#waiting.findLastIndex(isWanted);
    const index = last === -1 ? this.#waiting.findIndex(matches) : last;
    return this.#waiting.splice(index, index === -1 ? 0 : 1)[0] ?? null;
  }
}
