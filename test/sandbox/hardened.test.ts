/**
 * Hardened workers: V8 only interprets in them, which is seen from the outside, in what a worker may execute.
 */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Language } from "../../src/types.ts";
import { describeLauncher } from "../fixtures/launchers.ts";
import { findStarted } from "../fixtures/started.ts";
import { PATIENT } from "../fixtures/use-sandbox.ts";

/** Pieces of memory that a process may execute and that come from no file: where V8 puts what it compiles. */
function countCodePieces(pid: number): number {
  return readFileSync(`/proc/${pid}/maps`, "latin1")
    .split("\n")
    .map((line) => line.split(/\s+/))
    .filter(([, mode = "", , , inode, name = ""]) => mode.includes("x") && inode === "0" && !name.startsWith("[v"))
    .length;
}

/** Of the one worker of a sandbox, in the middle of a loop that any compiler would have taken up. */
async function seeCodePieces(options: { containment: "bubblewrap" | "container"; hardened: boolean }): Promise<number> {
  const before = new Set(findStarted().map(({ pid }) => pid));
  await using sandbox = await createSandbox({ ...PATIENT, ...options, workers: 1, standby: 0 });
  const source = "const f = (n) => n * 2; for (let n = 0; n < 2e5; n++) f(n); console.log('on'); for (;;) f(1)";
  return new Promise((resolve) => {
    const onStdout = () => {
      const started = findStarted().filter(({ pid }) => !before.has(pid));
      resolve(Math.max(...started.map(({ pid }) => countCodePieces(pid))));
    };
    void sandbox.run({ language: "javascript", source, limits: { timeoutMs: 5000 }, onStdout });
  });
}

describe("hardened", () => {
  it("is refused where there is no containment, with what to do", async () => {
    const start = createSandbox({ ...PATIENT, hardened: true, containment: "process" });
    await expect(start).rejects.toMatchObject({ code: "CONTAINMENT_UNAVAILABLE" });
    await expect(start).rejects.toThrow(/hardened.*bubblewrap/s);
  });

  it("is one run per worker, and says so where another number is asked for", async () => {
    await expect(createSandbox({ hardened: true, runsPerWorker: 2 })).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
      message: "createSandbox: runsPerWorker: expected 1 with hardened, got 2",
    });
  });

  for (const containment of ["bubblewrap", "container"] as const) {
    describeLauncher(containment, () => {
      it("have nothing compiled to execute, and plain ones beside them do", async () => {
        expect(await seeCodePieces({ containment, hardened: false })).toBeGreaterThan(0);
        expect(await seeCodePieces({ containment, hardened: true })).toBe(0);
      });

      it("runs JavaScript right, and says of Python why it is not there", async () => {
        await using sandbox = await createSandbox({ ...PATIENT, containment, hardened: true, workers: 1, standby: 0 });
        const run = (language: Language, source: string) =>
          sandbox.run({ language, source, limits: { timeoutMs: 10_000 } });
        expect(await run("javascript", "typeof WebAssembly + [1, 2].map((n) => n * 2)")).toMatchObject({
          result: "undefined2,4",
        });
        expect(sandbox.languages).toEqual(["javascript"]);
        expect(await run("python", "1")).toMatchObject({
          status: "unavailable",
          message: expect.stringMatching(/WebAssembly.*hardened/),
        });
        const inspecting = sandbox.inspect({ language: "python", source: "1" });
        await expect(inspecting).rejects.toMatchObject({
          code: "ENGINE_UNAVAILABLE",
          message: expect.stringMatching(/hardened/),
        });
      });
    });
  }
});
