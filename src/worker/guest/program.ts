/**
 * Runs one program inside the isolate: compiles it, follows its promise and timers, and gives its value or error as a string.
 * The only thing the worker can call. Every answer is a primitive string whose first letter says what it is.
 */

import type { createClock } from "./clock.ts";
import type { createConsole } from "./console.ts";
import type { createEncoder } from "./encode.ts";
import type { createGlobals } from "./globals.ts";
import type { Primordials } from "./primordials.ts";

/** What the worker tells the guest of one run. */
export interface ProgramOptions {
  /** The program as the body of an async function. */
  body: string;
  /** Two names around that function which the program does not use: for its values, and for `import` where it is called. */
  slot: string;
  importer: string;
  /** JSON text, or null for no `input`. */
  input: string | null;
  now: number;
  seed: number;
  stdoutBytes: number;
  stdoutLines: number;
  resultBytes: number;
  dynamicCode: boolean;
  globals: string[] | null;
}

export function createProgram(
  p: Primordials,
  globals: ReturnType<typeof createGlobals>,
  clock: ReturnType<typeof createClock>,
  output: ReturnType<typeof createConsole>,
  encode: ReturnType<typeof createEncoder>,
) {
  "use strict";
  /** Filled by the program itself: the last expression's value, and a way to read its binding `result`. */
  interface Slot {
    last?: unknown;
    result?: () => unknown;
  }
  let resultBytes = 0;
  let state: "running" | "settled" | "failed" = "running";
  /** A `result` or last expression that is a promise counts by what it resolves to: the rules before it have been tried. */
  let rule: "return" | "result" | "global" | "last" | "line" = "return";
  let settledWith: unknown;
  const slot: Slot = p.createObject(null) as Slot;

  const follow = (promise: unknown): boolean => {
    try {
      p.defineProperty(promise as object, "constructor", {
        __proto__: null,
        value: undefined,
        configurable: true,
      } as PropertyDescriptor);
      p.apply(p.then, promise, [
        (value: unknown) => {
          state = "settled";
          settledWith = value;
        },
        (reason: unknown) => {
          state = "failed";
          settledWith = reason;
        },
      ]);
      return true;
    } catch {
      return false;
    }
  };
  /** A lie costs nothing: following what is no promise fails. */
  const isPromise = (value: unknown): boolean =>
    typeof value === "object" && value !== null && p.tagOf(value) === "[object Promise]";
  const globalResult = (): unknown => {
    const found = p.getOwnPropertyDescriptor(p.scope, "result");
    return found !== undefined && p.hasOwn(found, "value") ? found.value : undefined;
  };
  /** Where `rule` gives a value, that is it; else the next one is tried. */
  const tryRule = (): unknown => {
    if (rule === "return") {
      rule = "result";
      return settledWith === slot ? undefined : settledWith;
    }
    if (rule === "result") {
      rule = "global";
      return slot.result === undefined ? undefined : slot.result();
    }
    if (rule === "global") {
      rule = "last";
      return globalResult();
    }
    rule = "line";
    return slot.last;
  };
  /** The order of the contract: return, `result`, last expression, last printed line, null. */
  const chooseValue = (): string => {
    if (rule === "return" && settledWith === undefined) return encode.value(undefined, resultBytes);
    if (rule !== "return" && settledWith !== undefined) return encode.value(settledWith, resultBytes);
    while (rule !== "line") {
      const isReturned = rule === "return";
      const value = tryRule();
      if (value === undefined) continue;
      if (isReturned || !isPromise(value) || !follow(value)) return encode.value(value, resultBytes);
      state = "running";
      return "A";
    }
    // A line that is too large for a value is in the output all the same: no reason to fail.
    const printed = encode.value(output.lastLine(), resultBytes);
    return printed[0] === "R" ? `P${p.slice(printed, 1) as string}` : "Rnull";
  };

  const refuseImport = (): unknown =>
    p.apply(p.reject, p.Promise, [
      new p.TypeError(
        "import() is not available: no modules can be loaded in this sandbox; use the language's own built-ins.",
      ),
    ]);
  /**
   * Apart, since V8 reads the calling function once more for the position of the text. The names are those of a function
   * around the program's, so that its `arguments` are empty; in parentheses, so that it is read once.
   */
  const compile = (slotName: string, importer: string, body: string) =>
    new p.Function(slotName, importer, `return (async function () {\n${body}\n})`) as unknown as (
      slot: Slot,
      importer: () => unknown,
    ) => () => Promise<unknown>;
  const begin = (optionsJson: string): string => {
    const options = p.parseJson(optionsJson) as ProgramOptions;
    clock.set(options.now, options.seed);
    output.open(options.stdoutBytes, options.stdoutLines, clock.elapsed);
    resultBytes = options.resultBytes;
    let main: () => Promise<unknown>;
    try {
      main = compile(options.slot, options.importer, options.body)(slot, refuseImport);
    } catch (error) {
      return encode.error(error);
    }
    if (options.globals !== null) globals.keepOnly(options.globals);
    if (!options.dynamicCode) globals.removeDynamicCode();
    if (options.input !== null) globals.define("input", p.parseJson(options.input));
    follow(p.apply(main, undefined, []));
    return "-";
  };
  /** "T": a timer ran. "D": nothing is left to do and the program has not ended. "A": asked again, please. */
  const next = (): string => {
    if (state === "failed") return encode.error(settledWith);
    if (clock.hasTimers()) {
      try {
        clock.runNext();
        return "T";
      } catch (error) {
        return encode.error(error);
      }
    }
    if (state !== "settled") return "D";
    try {
      return chooseValue();
    } catch (error) {
      return encode.error(error);
    }
  };

  return (optionsJson: string | null): string => (optionsJson === null ? next() : begin(optionsJson));
}
