/**
 * One worker process as the host sees it: ready, busy with one exchange, or ended. Every byte it sends is hostile until
 * decoded; whatever breaks the protocol ends it. Decides nothing about runs: it says what came and why it ended.
 */

import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { encodeFrame, FrameReader } from "../protocol/frame.ts";
import {
  decodeWorkerMessage,
  type HostMessage,
  type ManifestMessage,
  type OutcomeMessage,
  type ProbedMessage,
  type WorkerMessage,
} from "../protocol/messages.ts";
import { createEnding, type Ending } from "./ending.ts";
import type { Command } from "./launchers/launcher.ts";
import { ref, spawnWorker, unref, type WorkerChild } from "./spawn.ts";
import type { Supervisor, Watch } from "./supervisor.ts";
import { type Cause, monotonicMs } from "./supervisor-memory.ts";

const MIB = 1024 * 1024;
const STDERR_KEPT = 4000;

/** Why a worker ended, as far as the host knows. */
export interface WorkerEnd {
  cause: Cause | "crashed" | "protocol";
  /** Signal or exit code, for the operator. */
  detail: string;
  endedAtMs: number;
}

export type Answer = OutcomeMessage | ManifestMessage | ProbedMessage;

const WANTED = { run: "outcome", inspect: "manifest", probe: "probed" } as const;

/** How an exchange went: an answer, or the worker's end. `wallMs` is bounded by what this process saw of it. */
export type ExchangeEnd = { hasStarted: boolean; wallMs: number } & ({ answer: Answer } | { ended: WorkerEnd });

export interface Exchange {
  message: HostMessage;
  timeoutMs: number;
  /** What the worker may take before it acknowledges the start; none where absent. */
  readyMs?: number;
  graceMs: number;
  /** Memory above what the worker holds when it is ready, in MiB. */
  memoryMb: number;
  onLine?(line: string): void;
  onTruncated?(): void;
}

interface Current extends Exchange {
  sentAtMs: number;
  startedAtMs: number;
  resolve(end: ExchangeEnd): void;
}

export class WorkerProcess {
  /** Of the worker itself, as the host sees it; until it is ready, of the command that starts it. */
  pid: number;
  /** False where the system does not show the worker to the host: then nobody watches its memory from here. */
  isVisible = true;
  node = "";
  runs = 0;
  readonly #child: WorkerChild;
  readonly #command: Command;
  readonly #ending: Ending;
  readonly #watch: Watch;
  readonly #reader = new FrameReader();
  #current: Current | null = null;
  #stderr = "";
  #ready: ((ready: boolean) => void) | null = null;
  #readyRssBytes = 0;
  #end: WorkerEnd | null = null;
  #violation: string | null = null;
  #isKilled = false;
  readonly #whenEnded: Promise<WorkerEnd>;

  /** Resolves when the worker has ended, with the output it left behind read to its end. */
  get whenEnded(): Promise<WorkerEnd> {
    return this.#whenEnded;
  }

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  /** False from the moment in which its end was decided: it may still be seen for a while. */
  get isUsable(): boolean {
    return this.#end === null && !this.#isKilled;
  }

  get stderr(): string {
    return this.#stderr;
  }

  private constructor(child: WorkerChild, watch: Watch, command: Command) {
    this.#child = child;
    this.#command = command;
    this.#ending = createEnding(child, command);
    this.#watch = watch;
    this.pid = child.pid ?? 0;
    child.stdin.on("error", () => {});
    child.stdout.on("error", () => {});
    child.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-STDERR_KEPT);
    });
    this.#whenEnded = new Promise((resolve) => {
      child.once("close", (code, signal) => resolve(this.#finish(signal ?? describeExit(code))));
    });
  }

  /** @throws Error with the worker's own words where it does not come up in time. */
  static async start(command: Command, supervisor: Supervisor, startTimeoutMs: number): Promise<WorkerProcess> {
    const child = spawnWorker(command);
    if (child.pid === undefined) {
      const cause = await new Promise<Error>((resolve) => child.once("error", resolve));
      throw new Error(`it could not be started (${cause.message})`, { cause });
    }
    child.on("error", () => {});
    const worker = new WorkerProcess(child, supervisor.watch(child.pid, command.undertaker), command);
    worker.#watch.arm(monotonicMs() + startTimeoutMs, Number.POSITIVE_INFINITY);
    const isReady = await new Promise<boolean>((resolve) => {
      worker.#ready = resolve;
      void worker.whenEnded.then(() => resolve(false));
    });
    if (isReady) worker.#findSelf();
    else {
      const { cause, detail } = await worker.whenEnded;
      const words = worker.stderr.trim().split("\n").slice(-6).join(" ").slice(0, 600);
      const why = cause === "deadline" ? `it was not ready after ${startTimeoutMs} ms` : `it ended with ${detail}`;
      throw new Error(words === "" ? why : `${why}: ${words}`);
    }
    return worker;
  }

  /** Where the worker is another process than the command, it is from now on the one whose memory counts. */
  #findSelf(): void {
    const { findWorker, undertaker } = this.#command;
    const pid = findWorker === undefined ? this.pid : findWorker(this.pid);
    this.isVisible = pid !== null;
    if (pid === null) return;
    if (pid !== this.pid) this.#watch.follow(pid, undertaker === undefined ? "with its command" : "itself");
    if (undertaker !== undefined) this.#ending.located(pid);
    this.pid = pid;
    this.#readyRssBytes = readResidentBytes(pid);
  }

  /** Sends one message and waits for its answer. One at a time. The message is written before this returns. */
  exchange(exchange: Exchange): Promise<ExchangeEnd> {
    return new Promise((resolve) => {
      if (this.#end) {
        resolve({ ended: this.#end, hasStarted: false, wallMs: 0 });
        return;
      }
      const sentAtMs = monotonicMs();
      this.#current = { ...exchange, sentAtMs, startedAtMs: 0, resolve };
      this.runs++;
      this.setActive(true);
      this.#arm(exchange, sentAtMs + (exchange.readyMs ?? 0));
      this.#child.stdin.write(encodeFrame(exchange.message));
    });
  }

  /** Ends the worker at once; the first cause that was recorded stays. */
  kill(cause: "cancelled" | "discarded"): void {
    if (this.#end) return;
    this.#watch.claim(cause);
    this.#endProcess();
  }

  /** Whether the worker keeps the host's event loop alive: while a run is on, and not otherwise. */
  setActive(isActive: boolean): void {
    const toggle = isActive ? ref : unref;
    for (const handle of [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr]) toggle(handle);
  }

  #arm({ timeoutMs, graceMs, memoryMb }: Exchange, fromMs: number): void {
    const limit = this.#readyRssBytes === 0 ? Number.POSITIVE_INFINITY : this.#readyRssBytes + memoryMb * MIB;
    this.#watch.arm(fromMs + timeoutMs + graceMs, limit);
  }

  #receive(chunk: Buffer): void {
    if (this.#violation !== null) return;
    try {
      for (const frame of this.#reader.push(chunk)) this.#handle(decodeWorkerMessage(frame));
      if (this.#current === null && this.#ready === null && this.#reader.isPartial)
        this.#violate("bytes from an idle worker");
    } catch (error) {
      this.#violate(error instanceof Error ? error.message : "unreadable");
    }
  }

  #violate(what: string): void {
    this.#violation = what;
    this.#endProcess();
  }

  #endProcess(): void {
    this.#isKilled = true;
    this.setActive(true);
    this.#ending.end();
  }

  #handle(message: WorkerMessage): void {
    if (this.#violation !== null) return;
    if (message.type === "ready") {
      if (this.#ready === null) return this.#violate("ready twice");
      this.node = message.node;
      this.#watch.disarm();
      this.setActive(false);
      this.#ready(true);
      this.#ready = null;
      return;
    }
    const current = this.#current;
    if (current === null || message.id !== current.message.id) return this.#violate("a message for no run");
    if (message.type === "started") {
      if (current.startedAtMs !== 0) return this.#violate("started twice");
      // As the worker says, within what is possible: this may be read long after it was sent.
      current.startedAtMs = Math.min(Math.max(message.atMs, current.sentAtMs), monotonicMs());
      this.#arm(current, current.startedAtMs);
    } else if (current.startedAtMs === 0) this.#violate("an answer before the start");
    else if (message.type === "stdout") current.onLine?.(message.line);
    else if (message.type === "truncated") current.onTruncated?.();
    else this.#answer(current, message);
  }

  #answer(current: Current, answer: Answer): void {
    const wanted = WANTED[current.message.type];
    if (answer.type !== wanted) return this.#violate(`a ${answer.type} instead of a ${wanted}`);
    this.#watch.disarm();
    this.#current = null;
    this.setActive(false);
    const { sentAtMs } = current;
    const told = answer.type === "outcome" ? answer.wallMs : 0;
    // From the sending on: where this event loop was blocked, start and answer were read at the same late moment.
    current.resolve({ answer, hasStarted: true, wallMs: Math.min(told, monotonicMs() - sentAtMs) });
  }

  #finish(detail: string): WorkerEnd {
    const recorded = this.#watch.cause();
    const cause = recorded !== "none" ? recorded : this.#violation !== null ? "protocol" : "crashed";
    const endedAtMs = this.#watch.endedAtMs() || monotonicMs();
    this.#end = { cause, detail: this.#violation ?? detail, endedAtMs };
    this.#watch.release();
    this.#command.whenEnded?.(this.pid);
    const current = this.#current;
    this.#current = null;
    if (current) {
      const { startedAtMs, sentAtMs } = current;
      const wallMs = endedAtMs - (startedAtMs > 0 && startedAtMs < endedAtMs ? startedAtMs : sentAtMs);
      current.resolve({ ended: this.#end, hasStarted: startedAtMs > 0, wallMs });
    }
    return this.#end;
  }
}

/** What starts a worker for us tells a signal as a shell does: 128 and its number. Node itself exits with less. */
function describeExit(code: number | null): string {
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
  return signal ?? `exit code ${code}`;
}

/** Resident memory of a process; 0 where the system does not say. */
function readResidentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * 4096;
  } catch {
    return 0;
  }
}
