/**
 * One worker process as the host sees it: ready, busy with one exchange, or ended. Every byte it sends is hostile until
 * decoded; whatever breaks the protocol ends it. Decides nothing about runs: it says what came and why it ended.
 */

import { encodeFrame, FrameReader } from "../protocol/frame.ts";
import { decodeWorkerMessage, type WorkerMessage } from "../protocol/messages.ts";
import type { Language } from "../types.ts";
import { createMemoryGroup, type MemoryGroup } from "./cgroup.ts";
import { createEnding, describeExit, type Ending, lastWords, watchOrEnd } from "./ending.ts";
import type { Answer, Exchange, ExchangeEnd, WorkerEnd } from "./exchange.ts";
import { LoopHold } from "./held-loop.ts";
import type { Command } from "./launchers/launcher.ts";
import { residentBytesOf } from "./process-facts.ts";
import { spawnWorker, type WorkerChild } from "./spawn.ts";
import type { Supervisor, Watch } from "./supervisor.ts";
import { monotonicMs } from "./supervisor-memory.ts";

const MIB = 1024 * 1024;
const STDERR_KEPT = 4000;
/**
 * Longest that a worker may clean up after an answer and make its next isolate, and longest that a run may take to begin.
 * On a busy machine a Python interpreter takes many seconds: its worker is not ended for that, since a new one takes longer.
 */
export const REST_LIMITS_MS: Readonly<Record<Language, number>> = { javascript: 5000, python: 20_000 };

export type { Answer, Exchange, ExchangeEnd, WorkerEnd } from "./exchange.ts";

const WANTED = { run: "outcome", inspect: "manifest", probe: "probed" } as const;

interface Current extends Exchange {
  sentAtMs: number;
  startedAtMs: number;
  startLimit?: NodeJS.Timeout;
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
  readonly #group: MemoryGroup | null;
  readonly #restLimitMs: number;
  readonly #reader = new FrameReader();
  #current: Current | null = null;
  /** Id of the run that was answered last, as long as the worker has not said that it rests from it. */
  #resting: string | null = null;
  #stderr = "";
  #ready: ((ready: boolean) => void) | null = null;
  #readyRssBytes = 0;
  #end: WorkerEnd | null = null;
  #violation: string | null = null;
  #isKilled = false;
  /** Of an answer, whoever waits for it holds the event loop; of a start and an end, often nobody waits. */
  readonly #loop = new LoopHold();
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

  /** Whether it has cleaned up after its last run and made what the next one needs. */
  get isRested(): boolean {
    return this.#resting === null;
  }

  get stderr(): string {
    return this.#stderr;
  }

  private constructor(
    child: WorkerChild,
    watch: Watch,
    group: MemoryGroup | null,
    command: Command,
    restLimitMs: number,
  ) {
    this.#child = child;
    this.#command = command;
    this.#ending = createEnding(child, command);
    this.#watch = watch;
    this.#group = group;
    this.#restLimitMs = restLimitMs;
    this.pid = child.pid ?? 0;
    for (const stream of [child.stdin, child.stdout]) stream.on("error", () => {});
    child.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-STDERR_KEPT);
    });
    child.once("exit", () => {
      this.#loop.ending();
      command.sweep?.();
    });
    this.#whenEnded = new Promise((resolve) => {
      child.once("close", (code, signal) => resolve(this.#finish(signal ?? describeExit(code))));
    });
  }

  /** @throws Error with the worker's own words where it does not come up in time. */
  static async start(
    command: Command,
    supervisor: Supervisor,
    startTimeoutMs: number,
    restLimitMs = REST_LIMITS_MS.javascript,
  ): Promise<WorkerProcess> {
    const group = command.wallMb === undefined ? null : createMemoryGroup(command.wallMb * MIB);
    const child = spawnWorker(command);
    if (child.pid === undefined) {
      group?.remove();
      const cause = await new Promise<Error>((resolve) => child.once("error", resolve));
      throw new Error(`it could not be started (${cause.message})`, { cause });
    }
    group?.add(child.pid);
    child.on("error", () => {});
    const watch = watchOrEnd(child, child.pid, supervisor, command, group);
    const worker = new WorkerProcess(child, watch, group, command, restLimitMs);
    worker.#watch.arm(monotonicMs() + startTimeoutMs, Number.POSITIVE_INFINITY);
    const isReady = await new Promise<boolean>((resolve) => {
      worker.#ready = resolve;
      void worker.whenEnded.then(() => resolve(false));
    });
    if (isReady) worker.#findSelf();
    else {
      const { cause, detail } = await worker.whenEnded;
      const words = lastWords(worker.stderr);
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
    this.#readyRssBytes = residentBytesOf(pid);
    this.#group?.settle(pid);
  }

  /** Sends one message and waits for its answer. One at a time. The message is written before this returns. */
  exchange(exchange: Exchange): Promise<ExchangeEnd> {
    return new Promise((resolve) => {
      if (this.#end) {
        resolve({ ended: this.#end, hasStarted: false, waitedMs: 0, wallMs: 0 });
        return;
      }
      // Before the program begins: what the worker holds now is none of it.
      if (exchange.kernelMb !== undefined) this.#group?.limit(exchange.kernelMb * MIB);
      const sentAtMs = monotonicMs();
      // Before the rest, which takes as long as the worker takes to wake up. It is armed in this same turn of the loop, by the
      // process whose thread keeps watch: where it stops between the two, so does the watch.
      this.#child.stdin.write(encodeFrame(exchange.message));
      this.#arm(exchange, sentAtMs + (exchange.readyMs ?? 0));
      this.#current = { ...exchange, sentAtMs, startedAtMs: 0, resolve };
      this.#limitStart(this.#current);
      this.runs++;
    });
  }

  /** Ends the worker at once; the first cause that was recorded stays. */
  kill(cause: "cancelled" | "discarded"): void {
    if (this.#end) return;
    this.#watch.claim(cause);
    this.#endProcess();
  }

  #arm({ timeoutMs, graceMs, memoryMb }: Exchange, fromMs: number): void {
    this.#watch.arm(fromMs + timeoutMs + graceMs, this.#rssLimit(memoryMb));
  }

  #rssLimit(memoryMb: number): number {
    return this.#readyRssBytes === 0 ? Number.POSITIVE_INFINITY : this.#readyRssBytes + memoryMb * MIB;
  }

  /** A worker that does not begin is stopped or stuck: known long before a long limit of the run itself is over. */
  #limitStart(current: Current): void {
    if (current.timeoutMs + current.graceMs <= this.#restLimitMs) return;
    const endUnlessStarted = () => {
      if (this.#current === current && current.startedAtMs === 0) this.kill("discarded");
    };
    // What was read while this loop was blocked is looked at first.
    current.startLimit = setTimeout(() => setImmediate(endUnlessStarted), this.#restLimitMs);
  }

  #receive(chunk: Buffer): void {
    if (this.#violation !== null) return;
    try {
      for (const frame of this.#reader.push(chunk)) this.#handle(decodeWorkerMessage(frame));
      const isIdle = this.#current === null && this.#ready === null && this.#resting === null;
      if (isIdle && this.#reader.isPartial) this.#violate("bytes from an idle worker");
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
    this.#loop.ending();
    this.#ending.end();
  }

  #handle(message: WorkerMessage): void {
    if (this.#violation !== null) return;
    if (message.type === "ready") {
      if (this.#ready === null) return this.#violate("ready twice");
      this.node = message.node;
      this.#watch.disarm();
      this.#loop.started();
      this.#ready(true);
      this.#ready = null;
      return;
    }
    if (message.type === "rested") return this.#rest(message.id);
    const current = this.#current;
    if (current === null || message.id !== current.message.id) return this.#violate("a message for no run");
    if (message.type === "started") {
      if (current.startedAtMs !== 0) return this.#violate("started twice");
      // As the worker says, within what is possible: this may be read long after it was sent.
      current.startedAtMs = Math.min(Math.max(message.atMs, current.sentAtMs), monotonicMs());
      clearTimeout(current.startLimit);
      this.#arm(current, current.startedAtMs);
    } else if (current.startedAtMs === 0) this.#violate("an answer before the start");
    else if (message.type === "stdout") current.onLine?.(message.line, message.stream);
    else if (message.type === "part") current.onPart?.(message.text, message.stream);
    else if (message.type === "truncated") current.onTruncated?.();
    else this.#answer(current, message);
  }

  #answer(current: Current, answer: Answer): void {
    const wanted = WANTED[current.message.type];
    if (answer.type !== wanted) return this.#violate(`a ${answer.type} instead of a ${wanted}`);
    this.#resting = answer.id;
    this.#watch.arm(monotonicMs() + this.#restLimitMs, this.#rssLimit(current.memoryMb));
    this.#current = null;
    const { sentAtMs, startedAtMs } = current;
    const told = answer.type === "outcome" ? answer.wallMs : 0;
    const wallMs = Math.min(told, monotonicMs() - sentAtMs);
    // From the sending on: where this event loop was blocked, start and answer were read at the same late moment.
    current.resolve({ answer, hasStarted: true, waitedMs: startedAtMs - sentAtMs, wallMs });
  }

  /** The next run may be on its way already: then its own limits hold. */
  #rest(id: string): void {
    if (id !== this.#resting) return this.#violate("a rest from no run");
    this.#resting = null;
    if (this.#current === null) this.#watch.disarm();
  }

  #finish(detail: string): WorkerEnd {
    const recorded = this.#watch.cause();
    const byKernel = this.#group?.hasEndedOne() ? "memory" : "crashed";
    const cause = recorded !== "none" ? recorded : this.#violation !== null ? "protocol" : byKernel;
    const endedAtMs = this.#watch.endedAtMs() || monotonicMs();
    this.#end = { cause, detail: this.#violation ?? detail, endedAtMs };
    this.#loop.ended();
    this.#watch.release();
    this.#group?.remove();
    this.#command.whenEnded?.();
    const current = this.#current;
    this.#current = null;
    if (current) {
      const { startedAtMs, sentAtMs } = current;
      clearTimeout(current.startLimit);
      const wallMs = endedAtMs - (startedAtMs > 0 && startedAtMs < endedAtMs ? startedAtMs : sentAtMs);
      const waitedMs = Math.max(startedAtMs - sentAtMs, 0);
      current.resolve({ ended: this.#end, hasStarted: startedAtMs > 0, waitedMs, wallMs });
    }
    return this.#end;
  }
}
