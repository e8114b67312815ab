/**
 * What an engine is to the pump: one engine a language.
 * Types only. None of them may know of frames or of the host.
 */

import type { OutcomeMessage, RunMessage, Stream } from "../../protocol/messages.ts";
import type { Language } from "../../types.ts";

/** What an engine tells of a run; the pump adds what it measured itself. */
export type EngineOutcome = Pick<OutcomeMessage, "status" | "result" | "error" | "message" | "line" | "column">;

/** Where printed lines go, at once. `truncated` comes at most once, after the last line. */
export interface Output {
  /** A whole line; with its stream where parts of it were told. */
  line(text: string, stream?: Stream): void;
  /** What is new of a line that has not ended. */
  part(text: string, stream: Stream): void;
  truncated(): void;
}

export interface EngineOptions {
  /** Fresh interpreters to hold ready ahead, where an engine needs long to make one. */
  prepared: number;
}

export interface Engine {
  readonly language: Language;
  /** Before the clock of a run starts: waits for what the run needs and no program should pay for. */
  ready(message: RunMessage): void;
  /** Runs one program to its end. Synchronous: the worker does one thing at a time. */
  run(message: RunMessage, output: Output): EngineOutcome;
  /** After the answer: forgets the run and prepares the next, off the caller's path. */
  renew(): void;
}
