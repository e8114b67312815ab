/**
 * Files of the product that are closed to others, as a pull under a strict umask leaves them: workers stay in bubblewrap, as a
 * user that can read them, and where nobody can it is said which file that is. On a copy of the built files.
 */

import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type * as Bubblewrap from "../../src/sandbox/launchers/bubblewrap.ts";
import type * as Product from "../../src/sandbox/sandbox.ts";
import type * as Needs from "../../src/sandbox/worker-needs.ts";
import type { Sandbox } from "../../src/types.ts";
import { copyCheckout } from "../fixtures/checkout.ts";
import { describeLauncher } from "../fixtures/launchers.ts";
import { PATIENT } from "../fixtures/use-sandbox.ts";

const PATIENCE_MS = 120_000;
const SMALL = { ...PATIENT, workers: 1, standby: 0, python: { workers: 1, prepared: 1 } } as const;
const isRoot = process.getuid?.() === 0;

const folder = copyCheckout("dist", "package.json", "node_modules/pyodide");
// Others may look into it, as into the folder of an installed package.
chmodSync(folder, 0o755);

const load = <T>(name: string): Promise<T> => import(pathToFileURL(join(folder, "dist", name)).href) as Promise<T>;

async function withMode(name: string, mode: number, body: () => Promise<void>): Promise<void> {
  const path = join(folder, name);
  const before = statSync(path).mode & 0o7777;
  chmodSync(path, mode);
  try {
    await body();
  } finally {
    chmodSync(path, before);
  }
}

async function open() {
  const { bubblewrapLauncher } = await load<typeof Bubblewrap>("sandbox/launchers/bubblewrap.js");
  const { findWorkerNeeds } = await load<typeof Needs>("sandbox/worker-needs.js");
  const opened = await bubblewrapLauncher.open(findWorkerNeeds(null));
  if ("command" in opened) await opened.close();
  return opened;
}

/** A sandbox of the copy. Nobody has built a container's image of it: bubblewrap is the strongest that there is. */
async function createSandbox(): Promise<Sandbox> {
  return (await load<typeof Product>("sandbox/sandbox.js")).createSandbox({ ...SMALL, containment: "auto" });
}

const inPython = { language: "python", source: "6 * 7", limits: { timeoutMs: 30_000 } } as const;

describeLauncher("bubblewrap", () => {
  describe("a host that is root", () => {
    it.skipIf(!isRoot).each([
      ["a file", "dist/languages.js", 0o600],
      ["a folder of one language", "node_modules/pyodide", 0o700],
    ] as const)(
      "keeps its workers in bubblewrap where %s is closed to others, and says whose user id they have",
      async (_, name, mode) => {
        await withMode(name, mode, async () => {
          await using sandbox = await createSandbox();
          expect(await sandbox.run({ language: "javascript", source: "6 * 7" })).toMatchObject({ result: 42 });
          expect(await sandbox.run(inPython)).toMatchObject({ result: 42 });
          const { containment, layers, exploited = [] } = await sandbox.report({ attacks: true });
          expect(containment).toBe("bubblewrap");
          const { detail = "" } = layers.find((layer) => layer.name === "user-namespace") ?? {};
          expect(detail).toMatch(/outside it is root's, without any capability/);
          expect(detail).toContain(join(folder, name));
          expect(exploited.map((attempt) => attempt.name)).toContain("change a setting of the kernel");
          expect(exploited.filter((attempt) => attempt.hasSucceeded)).toEqual([]);
        });
      },
      PATIENCE_MS,
    );
  });

  it(
    "cannot run where a file that every worker needs can be read by nobody, and says which",
    async () => {
      await withMode("dist/worker/main.js", 0, async () => {
        expect(await open()).toMatchObject({
          reason: expect.stringContaining(join(folder, "dist/worker/main.js")),
          remedy: expect.stringMatching(/chmod/),
        });
      });
    },
    PATIENCE_MS,
  );

  it(
    "stays for the others where a file of one language can be read by nobody; that language's workers say which",
    async () => {
      await withMode("node_modules/pyodide/pyodide.asm.wasm", 0, async () => {
        await using sandbox = await createSandbox();
        expect((await sandbox.report()).containment).toBe("bubblewrap");
        expect(await sandbox.run({ language: "javascript", source: "6 * 7" })).toMatchObject({ result: 42 });
        const told = await sandbox.run(inPython).then(
          ({ message }) => message,
          ({ message }: Error) => message,
        );
        expect(told).toContain(join(folder, "node_modules/pyodide/pyodide.asm.wasm"));
      });
    },
    PATIENCE_MS,
  );

  it("cannot run where a folder is gone, and says which", async () => {
    const { bubblewrapLauncher } = await load<typeof Bubblewrap>("sandbox/launchers/bubblewrap.js");
    const { findWorkerNeeds } = await load<typeof Needs>("sandbox/worker-needs.js");
    const needs = findWorkerNeeds(null);
    const gone = join(folder, "gone");
    const files = { ...needs.files, folders: [...needs.files.folders, gone] };
    expect(await bubblewrapLauncher.open({ ...needs, files })).toMatchObject({
      reason: expect.stringMatching(`ENOENT.*${gone}`),
      remedy: expect.not.stringMatching(/^$/),
    });
  });
});
