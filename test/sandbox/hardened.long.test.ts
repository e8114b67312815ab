/**
 * Hardened workers: V8 only interprets in them, which is seen from the outside, in what a worker may execute. Of built files:
 * a worker of TypeScript cannot be hardened.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Language } from "../../src/types.ts";
import { describeLauncher } from "../fixtures/launchers.ts";
import { type Build, buildOnce } from "../fixtures/mutants.ts";
import { findStarted } from "../fixtures/started.ts";
import { PATIENT } from "../fixtures/use-sandbox.ts";

type Create = typeof createSandbox;

let entry = "";
let build: Build;
beforeAll(() => {
  build = buildOnce();
}, 120_000);
afterAll(() => build?.remove());

/** Pieces of memory that a process may execute and that come from no file: where V8 puts what it compiles. */
function countCodePieces(pid: number): number {
  return readFileSync(`/proc/${pid}/maps`, "latin1")
    .split("\n")
    .map((line) => line.split(/\s+/))
    .filter(([, mode = "", , , inode, name = ""]) => mode.includes("x") && inode === "0" && !name.startsWith("[v"))
    .length;
}

/** Of the one worker of a sandbox, in the middle of a loop that any compiler would have taken up. */
async function seeCodePieces(
  createSandbox: Create,
  options: { containment: "bubblewrap" | "container"; hardened: boolean },
): Promise<number> {
  const before = new Set(findStarted(entry).map(({ pid }) => pid));
  await using sandbox = await createSandbox({ ...PATIENT, ...options, workers: 1, standby: 0 });
  const source = "const f = (n) => n * 2; for (let n = 0; n < 2e5; n++) f(n); console.log('on'); for (;;) f(1)";
  let pieces = -1;
  const onStdout = () => {
    const started = findStarted(entry).filter(({ pid }) => !before.has(pid));
    pieces = Math.max(...started.map(({ pid }) => countCodePieces(pid)));
  };
  const limits = { timeoutMs: 2000 };
  const observation = await sandbox.run({ language: "javascript", source, limits, onStdout });
  expect(observation).toMatchObject({ status: "timeout", stdout: ["on"] });
  return pieces;
}

describe("hardened", { timeout: 120_000 }, () => {
  for (const containment of ["bubblewrap", "container"] as const) {
    describeLauncher(containment, () => {
      let create: Create;
      let removeImage = () => {};
      beforeAll(async () => {
        const folder = build.copy([]);
        if (containment === "container") removeImage = build.image(folder);
        ({ createSandbox: create } = await import(pathToFileURL(join(folder, "sandbox/sandbox.js")).href));
        entry = join(folder, "worker/main.js");
      }, 200_000);
      afterAll(() => removeImage());

      it("have nothing compiled to execute, and plain ones beside them do", async () => {
        expect(await seeCodePieces(create, { containment, hardened: false })).toBeGreaterThan(0);
        expect(await seeCodePieces(create, { containment, hardened: true })).toBe(0);
      });

      it("runs JavaScript right, and says of Python why it is not there", async () => {
        await using sandbox = await create({ ...PATIENT, containment, hardened: true, workers: 1, standby: 0 });
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
