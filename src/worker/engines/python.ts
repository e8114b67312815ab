/**
 * The Python engine: one program in one fresh interpreter, in an isolate of its own, its end told as an outcome.
 * Keeps interpreters loaded ahead, and nothing of a run: the isolate is disposed when the answer is out.
 */

import { isJson } from "../../protocol/json.ts";
import { MAX_PLACE, type RunMessage } from "../../protocol/messages.ts";
import type { Engine, EngineOptions, EngineOutcome, Output } from "./engine.ts";
import type { EntryEnd } from "./entry.ts";
import { createLoader, type PreparedPython } from "./python/isolate.ts";

/** An exception's class, as far as it goes into an observation. */
const NAME = /^[\p{L}\p{N}\p{M}_.]{1,80}$/u;

interface Described {
  name: string;
  message: string;
  line?: number;
  column?: number;
}

export async function createPythonEngine({ prepared }: EngineOptions): Promise<Engine> {
  const loader = await createLoader();
  const ahead: PreparedPython[] = [];
  let used: PreparedPython | null = null;
  const refill = (): void => {
    while (ahead.length < prepared) ahead.push(loader.prepare());
  };
  // The first alone: the worker is ready with it, and the others load behind.
  ahead.push(loader.prepare());
  ahead[0]?.ready();
  refill();

  return {
    language: "python",
    ready() {
      // The one that was loaded last: its memory is the likeliest to be in the processor's caches still.
      const newest = ahead.findLastIndex(({ isLoaded }) => isLoaded);
      used = ahead.splice(Math.max(newest, 0), 1)[0] ?? loader.prepare();
      used.ready();
    },
    run(message, output) {
      if (used === null) throw new Error("a run began before the engine was ready");
      return runIn(used, message, output);
    },
    renew() {
      used?.dispose();
      used = null;
      refill();
      // The next run waits for one in any case: now it is nobody's time.
      if (!ahead.some(({ isLoaded }) => isLoaded)) ahead[0]?.ready();
    },
  };
}

function runIn(interpreter: PreparedPython, message: RunMessage, output: Output): EngineOutcome {
  const { source, input, timerTurns, resultBytes, globals, modules, dynamicCode } = message;
  const { now, seed, memoryMb, stdoutBytes, stdoutLines } = message;
  const run = { input, timerTurns, resultBytes, globals, modules, dynamicCode };
  const order = { source, run, now, seed, memoryMb, stdoutBytes, stdoutLines };
  const answer = interpreter.enter(order, message.timeoutMs, output);
  return typeof answer === "string" ? describeAnswer(answer, message) : describeEnd(answer);
}

function describeAnswer(answer: string, { resultBytes, timerTurns, memoryMb }: RunMessage): EngineOutcome {
  const body = answer.slice(1);
  switch (answer[0]) {
    case "R":
      if (!isJson(body)) return engineFault();
      if (Buffer.byteLength(body) <= resultBytes) return { status: "ok", result: body };
      return { status: "output_limit", message: `The result is larger than ${resultBytes} bytes.` };
    case "O":
      return { status: "output_limit", message: body.slice(0, 200) };
    case "D":
      return failed("Deadlock", "The program waits for something that can never happen.");
    case "T":
      return failed("TimerLimit", `More than ${timerTurns} timers ran.`);
    case "E":
      return describeError(body, memoryMb);
    default:
      return engineFault();
  }
}

function failed(error: string, message: string): EngineOutcome {
  return { status: "error", error, message };
}

/** What the host takes for a line or a column. */
function isWithin(place: number): boolean {
  return place >= 1 && place <= MAX_PLACE;
}

/** What the interpreter tells of an exception is the program's to forge: it is read as data, and only its shape counts. */
function describeError(text: string, memoryMb: number): EngineOutcome {
  const told = readDescribed(text);
  if (told === null) return engineFault();
  const { line, column } = told;
  const isPlace = [line, column].every((number) => Number.isInteger(number) && isWithin(number as number));
  const isBare = told.name === "MemoryError" && told.message === "";
  return {
    status: "error",
    error: NAME.test(told.name) ? told.name : "Exception",
    message: isBare ? `The program needs more than ${memoryMb} MiB of memory.` : told.message,
    ...(isPlace && line !== undefined && column !== undefined && { line, column }),
  };
}

function readDescribed(text: string): Described | null {
  try {
    const told = JSON.parse(text) as Described | null;
    return typeof told?.name === "string" && typeof told.message === "string" ? told : null;
  } catch {
    return null;
  }
}

function describeEnd(entry: EntryEnd): EngineOutcome {
  if ("timeout" in entry) return { status: "timeout" };
  if ("memoryLimit" in entry) return { status: "memory_limit" };
  return engineFault();
}

function engineFault(): EngineOutcome {
  return failed(
    "EngineError",
    "The program ended or broke the interpreter itself: an exit, recursion beyond its stack, or built-ins that it replaced.",
  );
}
