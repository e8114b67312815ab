/**
 * What the worker makes of an engine that fails: an answer, not the end of the process.
 * The engines here fail on purpose; that real ones do not is what the attacks are about.
 */

import { describe, expect, it, vi } from "vitest";
import type { RunMessage } from "../../src/protocol/messages.ts";
import type { Engine } from "../../src/worker/engines/engine.ts";
import { runSafely } from "../../src/worker/run-safely.ts";

const MESSAGE: RunMessage = {
  type: "run",
  id: "",
  language: "javascript",
  source: "1",
  input: null,
  timeoutMs: 1000,
  memoryMb: 64,
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

describe("an engine that throws", () => {
  it.each([
    ["an error", new TypeError("text of a program")],
    ["a value that no JSON has", 1n],
    ["nothing at all", undefined],
  ])("%s gives an error of the engine, and its text to nobody but the operator", (_, thrown) => {
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const engine: Engine = {
      language: "javascript",
      run() {
        throw thrown;
      },
      ready() {},
      renew() {},
    };
    expect(runSafely(engine, MESSAGE, { line() {}, part() {}, truncated() {} })).toEqual({
      status: "error",
      error: "EngineError",
      message: "The engine could not finish this run.",
    });
    expect(said).toHaveBeenCalledOnce();
    said.mockRestore();
  });
});
