/**
 * The JavaScript and TypeScript engine: one program in one fresh isolate, its end told as an outcome.
 * Must keep nothing of a run: the isolate is disposed before the next one is used.
 */

import type { RunMessage } from "../../protocol/messages.ts";
import type { Engine, EngineOutcome } from "./engine.ts";
import type { EntryEnd } from "./entry.ts";
import { explainAbsence } from "./javascript/hints.ts";
import { type Instrumented, instrument, SOURCE_URL } from "./javascript/instrument.ts";
import { type PreparedIsolate, prepareIsolate } from "./javascript/isolate.ts";
import { type Parsed, ParseFailure, parseSource } from "./javascript/parse.ts";
import { loadForTypeScript, takeLoadingMs } from "./javascript/transpile.ts";

const DEFAULT_MEMORY_MB = 64;

export function createJavaScriptEngine(): Engine {
  let spare: PreparedIsolate | null = prepareIsolate(DEFAULT_MEMORY_MB);
  let used: PreparedIsolate | null = null;

  const take = (memoryMb: number): PreparedIsolate => {
    if (spare?.memoryMb !== memoryMb) {
      spare?.dispose();
      spare = prepareIsolate(memoryMb);
    }
    used = spare;
    spare = null;
    return used;
  };

  const engine: Engine = {
    language: "javascript",
    // The spare isolate was made when the last answer was out.
    ready: ({ source }) => loadForTypeScript(source),
    run(message, output) {
      // What an earlier program had loaded is no time of this one.
      takeLoadingMs();
      const started = performance.now();
      const parsed = readProgram(message.source);
      if ("status" in parsed) return parsed;
      const isolate = take(message.memoryMb);
      isolate.onOutput(output);
      return pump(isolate, instrument(parsed), message, started + message.timeoutMs + takeLoadingMs());
    },
    renew() {
      const memoryMb = used?.memoryMb ?? DEFAULT_MEMORY_MB;
      used?.dispose();
      used = null;
      spare ??= prepareIsolate(memoryMb);
    },
  };
  warmUp(engine);
  return engine;
}

const WARM_UP_RUNS = 3;

/** Runs a program of ours before the first of a caller's, which would otherwise pay 10 ms for code that was never used. */
function warmUp(engine: Engine): void {
  const source = "const list = [1, 2].map((item) => item * 2);\nconsole.log(list);\nlist;";
  const message: RunMessage = {
    type: "run",
    id: "",
    language: "javascript",
    source,
    input: "{}",
    timeoutMs: 1000,
    memoryMb: DEFAULT_MEMORY_MB,
    stdoutBytes: 100,
    stdoutLines: 10,
    resultBytes: 100,
    timerTurns: 1,
    now: 0,
    seed: 0,
    dynamicCode: false,
    globals: null,
    modules: null,
  };
  for (let run = 0; run < WARM_UP_RUNS; run++) {
    engine.run(message, { line() {}, part() {}, truncated() {} });
    engine.renew();
  }
}

function readProgram(source: string): Parsed | EngineOutcome {
  try {
    const parsed = parseSource(source);
    if (parsed.kind === "script") return parsed;
    const first = parsed.program.body.find((node) => /^(Import|Export)/.test(node.type));
    const word = first?.type.startsWith("Export") ? "export" : "import";
    const before = parsed.code.slice(0, first?.start ?? 0).split("\n");
    return failed("SyntaxError", `\`${word}\` is not available: no modules can be loaded in this sandbox.`, {
      line: before.length,
      column: (before.at(-1)?.length ?? 0) + 1,
    });
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    const { line, column } = error;
    return failed("SyntaxError", error.message, line === undefined ? undefined : { line, column: column ?? 1 });
  }
}

function failed(error: string, message: string, position?: { line: number; column: number }): EngineOutcome {
  return { status: "error", error, message, ...position };
}

/** Follows the program entry by entry until it has ended, is stuck, or has no time left. */
function pump(isolate: PreparedIsolate, program: Instrumented, message: RunMessage, deadline: number): EngineOutcome {
  let timerTurns = 0;
  let text: string | null = JSON.stringify({
    body: program.body,
    slot: program.slot,
    importer: program.importer,
    input: message.input,
    now: message.now,
    seed: message.seed,
    stdoutBytes: message.stdoutBytes,
    stdoutLines: message.stdoutLines,
    resultBytes: message.resultBytes,
    dynamicCode: message.dynamicCode,
    globals: message.globals,
  });
  for (;;) {
    const left = Math.ceil(deadline - performance.now());
    if (left <= 0) return { status: "timeout" };
    const answer = isolate.enter(text, left);
    text = null;
    if (typeof answer !== "string") return describeEnd(answer, program, message.source);
    const body = answer.slice(1);
    switch (answer[0]) {
      case "T":
        if (++timerTurns <= message.timerTurns) break;
        return {
          status: "error",
          error: "TimerLimit",
          message: `More than ${message.timerTurns} timer ${message.timerTurns === 1 ? "callback" : "callbacks"} ran.`,
        };
      case "R":
        if (Buffer.byteLength(body) <= message.resultBytes) return { status: "ok", result: body };
        return { status: "output_limit", message: `The result is larger than ${message.resultBytes} bytes.` };
      case "P":
        // The last printed line: it is in the output whether it fits as a value or not.
        return { status: "ok", result: Buffer.byteLength(body) <= message.resultBytes ? body : "null" };
      case "O":
        return { status: "output_limit", message: body };
      case "E":
        return describeError(JSON.parse(body), program, message.source);
      case "D":
        return {
          status: "error",
          error: "Deadlock",
          message: "The program waits for a promise that nothing can settle.",
        };
    }
  }
}

function describeEnd(entry: EntryEnd, program: Instrumented, source: string): EngineOutcome {
  if ("timeout" in entry) return { status: "timeout" };
  if ("memoryLimit" in entry) return { status: "memory_limit" };
  // Only an unhandled rejection comes back as a throw: what is thrown is a copy, data alone.
  const { thrown } = entry;
  if (!(thrown instanceof Error)) return failed("Uncaught", showPrimitive(thrown));
  const { name, message, stack } = thrown;
  if (message === NO_ERROR_COPIED) {
    return failed(
      "Uncaught",
      "A promise was rejected with a symbol or an object without a message, and nothing handled it.",
    );
  }
  // isolated-vm makes text of a name that is none.
  const isNamed = name !== "null" && name !== "undefined";
  return describeError({ name: isNamed ? name : "Error", message, stack: stack ?? "" }, program, source);
}

/** What isolated-vm says of a rejection that it does not copy. */
const NO_ERROR_COPIED =
  "An object was thrown from supplied code within isolated-vm, but that object was not an instance of `Error`.";

/** As the guest shows what is thrown: the same words for both ways to fail. */
function showPrimitive(thrown: unknown): string {
  if (typeof thrown === "string") return thrown.slice(0, MAX_TEXT_CHARS);
  // Hexadecimal: linear in its size, as decimal is not.
  if (typeof thrown === "bigint") return `0x${thrown.toString(16).slice(0, MAX_TEXT_CHARS)}n`;
  return Object.is(thrown, -0) ? "-0" : String(thrown);
}

const MAX_TEXT_CHARS = 1000;
const MAX_STACK_CHARS = 8000;

function describeError(
  error: { name: string; message: string; stack: string },
  program: Instrumented,
  source: string,
): EngineOutcome {
  const isNamed = /^[\p{L}\p{N}\p{M}_$.]{1,80}$/u.test(error.name);
  const name = isNamed ? error.name : "Error";
  return {
    status: "error",
    error: name,
    message: explainAbsence(name, error.message.slice(0, MAX_TEXT_CHARS)),
    ...positionIn(source, error.stack.slice(0, MAX_STACK_CHARS), program),
  };
}

const FRAME = new RegExp(`^[ \\t]+at (?:async )?(?:.* \\()?${SOURCE_URL}:(\\d+):(\\d+)\\)?$`, "m");

/** Where the stack's first frame in the program is. A stack is text that a program may forge: what is not in the source is left out. */
function positionIn(source: string, stack: string, program: Instrumented): { line?: number; column?: number } {
  const frame = FRAME.exec(stack);
  if (!frame) return {};
  const { line, column } = program.sourcePosition({ line: Number(frame[1]), column: Number(frame[2]) });
  const lines = source.split(/\r\n|[\n\r\u2028\u2029]/);
  const text = Number.isSafeInteger(line) ? lines[line - 1] : undefined;
  if (text === undefined) return {};
  return column >= 1 && column <= text.length + 1 ? { line, column } : { line };
}
