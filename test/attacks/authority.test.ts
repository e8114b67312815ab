/**
 * Attacks on the host's authority: its secrets, files, network, processes, and the worker's own.
 * From inside the isolate, and from the worker itself, as if the isolate had been escaped.
 */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { processLauncher } from "../../src/sandbox/launchers/process.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { findWorkerFiles } from "../../src/sandbox/worker-files.ts";
import { findWorkerNode } from "../../src/sandbox/worker-node.ts";
import { describeLauncher } from "../fixtures/launchers.ts";
import { PATIENT } from "../fixtures/use-sandbox.ts";
import { listLeaves } from "../studio/process-tree.ts";
import { CANARY, describeAttacks, expectNothingOfTheHost, useAttackedSandbox } from "./attack.ts";

const inUse = useAttackedSandbox();
describeAttacks("authority", inUse);

describe("the worker itself", () => {
  // A container has an environment of its engine's making, and is no child of this process.
  for (const containment of ["process", "bubblewrap"] as const) {
    describeLauncher(containment, () => {
      it("has an environment of exactly two names, and of three for Python, none of them the host's", async () => {
        const before = new Set(listLeaves(process.pid).map(({ pid }) => pid));
        const python = { workers: 1, prepared: 1 };
        await using sandbox = await createSandbox({ containment, workers: 1, standby: 0, python, ...PATIENT });
        const known = ["LC_ALL=en_US.UTF-8", "TZ=UTC"];
        const withPython = ["GLIBC_TUNABLES=glibc.malloc.hugetlb=1", ...known];
        const seen = new Set<string>();
        for (const language of ["javascript", "python"] as const) {
          expect(await sandbox.run({ language, source: "1" })).toMatchObject({ ok: true });
          for (const { pid } of listLeaves(process.pid).filter((leaf) => !before.has(leaf.pid))) {
            const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean).sort();
            // bubblewrap adds where it is, which is the root.
            const names = environment.filter((entry) => entry !== "PWD=/");
            expect([known, withPython]).toContainEqual(names);
            expect(environment.join()).not.toContain(CANARY);
            seen.add(names.join());
          }
        }
        expect(seen).toEqual(new Set([known.join(), withPython.join()]));
      });
    });
  }

  it("starts no process however a program floods it", async () => {
    const flood =
      "for (let n = 0; n < 1e5; n++) { try { new Worker('x') } catch {} try { require('child_process') } catch {} }";
    const running = inUse.run(flood, { limits: { timeoutMs: 500 } });
    const seen: number[] = [];
    let isOn = true;
    void running.finally(() => {
      isOn = false;
    });
    while (isOn) {
      seen.push(listLeaves(process.pid).length);
      await new Promise((done) => setImmediate(done));
    }
    // Two workers, a standby, and one that replaces another.
    expect(Math.max(...seen)).toBeLessThanOrEqual(4);
  });

  it("may do nothing beyond reading its own files, by Node's permission model", () => {
    const probe = fileURLToPath(new URL("../fixtures/permission-probe.mjs", import.meta.url));
    const files = { ...findWorkerFiles(), entry: probe };
    files.folders.push(probe);
    const plan = {
      node: findWorkerNode(null),
      files,
      role: "runner",
      language: "javascript",
      prepared: 1,
      env: {},
      setpriv: null,
    } as const;
    const command = processLauncher.command(plan);
    // The command without the shell that waits beside it: what Node is told is what is tried here.
    const [node = "", ...args] = command.args.slice(command.args.lastIndexOf("sallyport-worker") + 1);
    const probed = spawnSync(node, args, { env: command.env, encoding: "utf8" });
    expect(probed.stderr).toBe("");
    expect(JSON.parse(probed.stdout)).toEqual({
      environment: ["LC_ALL", "TZ"],
      "reads /etc/passwd": "ERR_ACCESS_DENIED",
      "reads the host's sources": "ERR_ACCESS_DENIED",
      "lists the root": "ERR_ACCESS_DENIED",
      "reads /proc/self/environ": "ERR_ACCESS_DENIED",
      "writes a file": "ERR_ACCESS_DENIED",
      "starts a process": "ERR_ACCESS_DENIED",
      "starts a thread": "ERR_ACCESS_DENIED",
      "opens a connection": "ERR_ACCESS_DENIED",
      "opens the inspector": "ERR_ACCESS_DENIED",
    });
  });
});

describe("an error that the host makes known", () => {
  it.each([
    "null.x",
    "new URL('x')",
    "structuredClone(() => {})",
    "await import('x')",
    "console.log(new Error('x').stack); throw new Error('x')",
    "new Function('(')",
    "JSON.parse('{')",
    "Promise.reject(new Error('x'))",
    "setTimeout(() => { throw new Error('x') })",
    "atob('*')",
    "(function again() { again() })()",
  ])("has no path and no stack of the host: %s", async (source) => {
    const observation = await inUse.run(source);
    expect(observation.status).toBe("error");
    expectNothingOfTheHost(observation);
    expect(observation.message).not.toMatch(/\n\s+at |\.[cm]?[jt]s:\d/);
  });
});
