/**
 * Which Node the workers run on: the operator's, else the package, else the host's own.
 */

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { findWorkerFiles } from "../../src/sandbox/worker-files.ts";
import { findWorkerNode } from "../../src/sandbox/worker-node.ts";

const folder = mkdtempSync(join(tmpdir(), "sallyport-node-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the workers' Node", () => {
  it("is the operator's, where there is one", () => {
    expect(findWorkerNode(process.execPath)).toEqual({ path: process.execPath, origin: "option" });
  });

  it("is a fault that names it, where it is not there", () => {
    expect(() => findWorkerNode("/nowhere/node")).toThrow(
      expect.objectContaining({ code: "ENGINE_UNAVAILABLE", message: expect.stringContaining("/nowhere/node") }),
    );
  });

  it("is the package's, where one is installed", () => {
    expect(findWorkerNode(null)).toEqual({
      path: expect.stringMatching(/node_modules\/node\/bin\/node$/),
      origin: "node package",
    });
  });

  it("is the host's own, where no package is near and it is new enough", async () => {
    // The same module, copied to where no node_modules is above it.
    mkdirSync(join(folder, "sandbox"));
    for (const file of ["errors.ts", "sandbox/worker-node.ts"]) {
      copyFileSync(fileURLToPath(new URL(`../../src/${file}`, import.meta.url)), join(folder, file));
    }
    const module = pathToFileURL(join(folder, "sandbox/worker-node.ts")).href;
    const far = (await import(/* @vite-ignore */ module)) as { findWorkerNode: typeof findWorkerNode };
    expect(far.findWorkerNode(null)).toEqual({ path: process.execPath, origin: "host" });
  });
});

describe("what a worker may read", () => {
  it("is its own code and the packages that it loads, and not the host's", () => {
    const { entry, folders } = findWorkerFiles();
    expect(folders).toContain(dirname(entry));
    for (const path of folders)
      expect(path).not.toMatch(/\/(sandbox|graph|nodes|policy|cli|\.env|src|dist|node_modules)\/?$/);
  });
});
