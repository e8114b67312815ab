/**
 * Which launcher is taken, and what is said where none of those that were asked for can run. A Node behind a script cannot
 * be contained, on any machine: nobody knows what it needs. So `auto` ends at `process`, whatever is installed here.
 */

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import type { SandboxOptions } from "../../src/options.ts";
import { LAUNCHERS } from "../../src/sandbox/launchers/registry.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { findWorkerNode } from "../../src/sandbox/worker-node.ts";
import { runHost } from "../fixtures/run-host.ts";
import { PATIENT } from "../fixtures/use-sandbox.ts";
import { listTree } from "../studio/process-tree.ts";

const folder = mkdtempSync(join(tmpdir(), "sallyport-containment-"));
const script = join(folder, "node");
writeFileSync(script, `#!/bin/sh\nexec ${JSON.stringify(findWorkerNode(null).path)} "$@"\n`);
chmodSync(script, 0o755);
const SMALL = { ...PATIENT, workers: 1, standby: 0 } as const satisfies SandboxOptions;
const UNCONTAINED = { ...SMALL, workerNode: script } as const satisfies SandboxOptions;

afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

describe("the launchers", () => {
  it("are listed strongest first", () => {
    expect(LAUNCHERS.map(({ name }) => name)).toEqual(["container", "bubblewrap", "process"]);
  });
});

describe("auto, where nothing can contain", () => {
  it("ends at process, warns, and says for each launcher why not, and what to do", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    // A module of its own: a process is warned once, and the tests before this one had theirs.
    vi.resetModules();
    const { createSandbox } = await import("../../src/sandbox/sandbox.ts");
    await using sandbox = await createSandbox(UNCONTAINED);
    const report = await sandbox.report();
    expect(report.containment).toBe("process");
    expect(report.unavailable.map(({ name }) => name)).toEqual(["container", "bubblewrap"]);
    for (const { reason, remedy } of report.unavailable) expect([reason, remedy]).not.toContain("");
    expect(report.summary).toMatch(/as this user on this machine/);
    expect(warned).toHaveBeenCalledTimes(1);
    expect(warned.mock.calls[0]?.[0]).toMatch(/^No containment: .*bubblewrap: /);
    await (await createSandbox(UNCONTAINED)).close();
    expect(warned).toHaveBeenCalledTimes(1);
  });

  it("is no way to start in production, and nothing is left of the attempt", async () => {
    vi.stubEnv("NODE_ENV", "production");
    const start = createSandbox(UNCONTAINED);
    await expect(start).rejects.toMatchObject({ name: "SandboxError", code: "CONTAINMENT_UNAVAILABLE" });
    await expect(start).rejects.toThrow(/production.*allowProcess.*container: .*bubblewrap: /);
    expect(listTree(process.pid)).toHaveLength(1);
  });

  it("starts in production where the operator allows it, or asks for process by name", async () => {
    vi.stubEnv("NODE_ENV", "production");
    for (const options of [{ allowProcess: true }, { containment: "process" }] as const) {
      await using sandbox = await createSandbox({ ...UNCONTAINED, ...options });
      expect(await sandbox.run({ language: "javascript", source: "6 * 7" })).toMatchObject({ result: 42 });
    }
  });
});

describe("a containment that was asked for by name", () => {
  it("and cannot run here is CONTAINMENT_UNAVAILABLE, with what to do", async () => {
    const start = createSandbox({ ...UNCONTAINED, containment: "bubblewrap" });
    await expect(start).rejects.toMatchObject({ code: "CONTAINMENT_UNAVAILABLE" });
    await expect(start).rejects.toThrow(/bubblewrap cannot run here.*bubblewrap: /);
  });
});

describe("a layer that is required", () => {
  const plain = { ...SMALL, containment: "process" } as const;

  it("and is there lets the sandbox start", async () => {
    await using sandbox = await createSandbox({ ...plain, require: ["isolate", "deadline", "permission-model"] });
    expect(sandbox.layers).toContain("deadline");
  });

  it("and is missing is CONTAINMENT_UNAVAILABLE, says which and what to do, and nothing is left running", async () => {
    const start = createSandbox({ ...plain, require: ["deadline", "seccomp", "pid-namespace"] });
    await expect(start).rejects.toMatchObject({ code: "CONTAINMENT_UNAVAILABLE" });
    await expect(start).rejects.toThrow(/seccomp: no filter.*bubblewrap.*pid-namespace: shared/);
    await expect(start).rejects.not.toThrow(/deadline/);
    expect(listTree(process.pid)).toHaveLength(1);
  });

  it("and has a name that no layer has is told the names that there are", async () => {
    await expect(createSandbox({ ...plain, require: ["moat"] })).rejects.toThrow(
      /moat: there is no such layer, only isolate/,
    );
  });
});

describe("a library's own user", () => {
  it("is bound by the production rule as well, without a word to the product", async () => {
    const host = await runHost("production-host.ts", [script]);
    expect(host.lines).toEqual([{ code: "CONTAINMENT_UNAVAILABLE" }]);
  });
});
