/**
 * Python's workers: none before the first program, fresh interpreters for ever, and a clear fault where the snapshot is
 * not as it was built.
 */

import { cpSync, mkdirSync, mkdtempSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { listChildren, readResidentMb } from "../bench/processes.ts";
import { PATIENT, useSandbox } from "../fixtures/use-sandbox.ts";

const ROOT = join(import.meta.dirname, "../..");
const SNAPSHOT = "src/worker/guest/python/built/snapshot.bin";
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe("a host that runs no Python", () => {
  it.skipIf(process.platform !== "linux")("has no worker for it", async () => {
    const before = new Set(listChildren());
    await using sandbox = await createSandbox({ ...PATIENT, workers: 1, standby: 0, containment: "process" });
    await sandbox.run({ language: "javascript", source: "1" });
    expect(listChildren().filter((id) => !before.has(id))).toHaveLength(1);
    await sandbox.run({ language: "python", source: "1" });
    expect(listChildren().filter((id) => !before.has(id)).length).toBeGreaterThan(1);
  });
});

describe("a snapshot", () => {
  /** The product's sources in a folder of their own, with the packages of this one. */
  async function copyProduct(): Promise<{ folder: string; create: typeof createSandbox }> {
    // Below this one, so that Node finds the packages where they are.
    mkdirSync(join(ROOT, "coverage"), { recursive: true });
    const folder = mkdtempSync(join(ROOT, "coverage", "python-"));
    folders.push(folder);
    cpSync(join(ROOT, "src"), join(folder, "src"), { recursive: true });
    cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
    const path = pathToFileURL(join(folder, "src/sandbox/sandbox.ts")).href;
    const { createSandbox: create } = (await import(path)) as { createSandbox: typeof createSandbox };
    return { folder, create };
  }

  it.each<[what: string, spoil: (path: string) => void, words: RegExp]>([
    ["missing", (path) => rmSync(path), /is missing.*npm run snapshot/],
    ["damaged", (path) => truncateSync(path, 1000), /is damaged.*npm run snapshot/],
  ])("that is %s is a fault that says what to do, and JavaScript runs on", async (_, spoil, words) => {
    const { folder, create } = await copyProduct();
    spoil(join(folder, SNAPSHOT));
    await using sandbox = await create({ ...PATIENT, workers: 1, standby: 0, containment: "process" });
    await expect(sandbox.run({ language: "python", source: "1" })).rejects.toMatchObject({
      code: "ENGINE_UNAVAILABLE",
      message: expect.stringMatching(words),
    });
    const { engines } = await sandbox.report();
    expect(engines.find(({ name }) => name === "python")).toMatchObject({
      active: false,
      remedy: expect.stringContaining("npm run snapshot"),
    });
    expect(await sandbox.run({ language: "javascript", source: "1" })).toMatchObject({ ok: true });
  });
});

describe("run upon run", () => {
  const RUNS = 500;
  const { run } = useSandbox({ workers: 1, standby: 0, containment: "process", python: { workers: 1, prepared: 2 } });

  it.skipIf(process.platform !== "linux")(
    `${RUNS} times leaves nothing behind, in the host or in the worker`,
    { timeout: 600_000 },
    async () => {
      const source = "import json\nkept = ['x' * 1000 for _ in range(1000)]\nlen(json.dumps(kept))";
      const largest = () => Math.max(...listChildren().map(readResidentMb));
      const samples: number[] = [];
      for (let index = 0; index < RUNS; index++) {
        expect(await run(source, { language: "python", limits: { timeoutMs: 20_000 } })).toMatchObject({ ok: true });
        if (index % 50 === 49) samples.push(largest());
      }
      const [early = 0, late = 0] = [Math.max(...samples.slice(1, 5)), Math.max(...samples.slice(-4))];
      expect(late, samples.map((mb) => mb.toFixed(0)).join(" ")).toBeLessThan(early + 100);
    },
  );
});
