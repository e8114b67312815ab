/**
 * The memory cgroup of a worker, where this host may make one: the kernel ends who takes too much, with a true answer, and
 * no group outlives its worker by more than the next start of a host.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/limits.ts";
import { createMemoryGroup, memoryGroupOf, readLimit } from "../../src/sandbox/cgroup.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Observation } from "../../src/types.ts";
import { canGroup, groupBytes, listGroups, NO_GROUPS } from "../fixtures/groups.ts";
import { describeLauncher } from "../fixtures/launchers.ts";
import { runHost, startHost } from "../fixtures/run-host.ts";
import { PATIENT } from "../fixtures/use-sandbox.ts";
import { listLeaves } from "../studio/process-tree.ts";

const MIB = 2 ** 20;
const MEMORY_MB = 64;
const ALLOWED_MB = 32;
/** Idle memory may be read while the next isolate is still being made. */
const RESTING_MB = 8;
const ONE = { workers: 1, standby: 0, ...PATIENT } as const;
/** Each doubles what is resident at once: the watchdog alone lets some of them have hundreds of MiB more. */
const HOGS = [
  "console.log('before'); 'x'.padEnd(2 ** 29 - 25).split('').length",
  "console.log('before'); const held = []; for (;;) held.push('x'.padEnd(2 ** 24).split(''))",
];

describe.skipIf(!canGroup())(`a memory cgroup (skipped where ${NO_GROUPS})`, () => {
  it("takes in a worker that was quicker than its host", async () => {
    const worker = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const pid = worker.pid ?? 0;
    const group = createMemoryGroup(1024 * MIB);
    group?.settle(pid);
    group?.limit(MEMORY_MB * MIB);
    const joined = memoryGroupOf(pid);
    expect(joined?.path).toContain(`sallyport-${process.pid}-`);
    expect(joined && readLimit(joined)).toBeLessThan(1024 * MIB);
    worker.kill("SIGKILL");
    await once(worker, "exit");
    group?.remove();
    await vi.waitFor(() => expect(existsSync(joined?.path ?? "")).toBe(false), 5000);
  });

  for (const containment of ["process", "bubblewrap"] as const) {
    describeLauncher(containment, () => {
      it.each(HOGS)("ends who takes too much, at the page: %s", async (source) => {
        await using sandbox = await createSandbox({ containment, ...ONE });
        await sandbox.run({ language: "javascript", source: "1" });
        const group = memoryGroupOf(listLeaves(process.pid)[0]?.pid ?? 0);
        const limits = { memoryMb: MEMORY_MB, timeoutMs: 20_000 };
        const idle = groupBytes(group?.path ?? "", "now");
        let peak = 0;
        let limit = 0;
        const watch = setInterval(() => {
          peak = Math.max(peak, groupBytes(group?.path ?? "", "peak"));
          limit = (group && readLimit(group)) ?? limit;
        }, 1);
        const observation = await sandbox.run({ language: "javascript", source, limits });
        clearInterval(watch);
        expect(observation).toMatchObject({ status: "memory_limit", stdout: ["before"] });
        expect(limit).toBeGreaterThanOrEqual((MEMORY_MB + ALLOWED_MB - 1) * MIB);
        expect(peak).toBeGreaterThan(0);
        expect(peak).toBeLessThanOrEqual(limit);
        expect(peak - idle).toBeLessThanOrEqual((MEMORY_MB + ALLOWED_MB + RESTING_MB) * MIB);
        expect(await sandbox.run({ language: "javascript", source: "6 * 7" })).toMatchObject({ result: 42 });
      });

      it("ends one while the caller's loop is blocked, and the true end is told with its true time", async () => {
        const blockMs = 4000;
        const hog = JSON.stringify(HOGS.slice(0, 1));
        // Ended long before its deadline, on a busy machine too; and the deadline passes while the loop is blocked.
        const timeoutMs = 3000;
        const limits = JSON.stringify({ memoryMb: LIMITS.memoryMb.min, timeoutMs });
        const { code, lines } = await runHost("blocked-host.ts", [String(blockMs), hog, limits, containment]);
        expect(code).toBe(0);
        const [told] = lines as [{ observations: Observation[] }];
        expect(told.observations).toMatchObject([{ status: "memory_limit", stdout: ["before"] }]);
        expect(told.observations[0]?.usage.wallMs).toBeLessThan(timeoutMs);
      });

      it("is reported as it is read back, and gone with its worker", async () => {
        // Other hosts make theirs beside them, the process of another test file among them.
        const own = () => listGroups().filter((name) => name.startsWith(`sallyport-${process.pid}-`));
        const before = new Set(own());
        const sandbox = await createSandbox({ containment, ...ONE });
        const { layers } = await sandbox.report();
        expect(layers.find(({ name }) => name === "cgroup")).toMatchObject({ active: true, probed: "outside" });
        expect(sandbox.layers).toContain("cgroup");
        expect(own().filter((name) => !before.has(name)).length).toBeGreaterThan(0);
        await sandbox.close();
        await vi.waitFor(() => expect(own().filter((name) => !before.has(name))).toEqual([]), 5000);
      });
    });
  }

  it("a program has the same room after others that took much", async () => {
    await using sandbox = await createSandbox({ containment: "process", ...ONE });
    const run = (source: string) =>
      sandbox.run({ language: "javascript", source, limits: { memoryMb: MEMORY_MB, timeoutMs: 20_000 } });
    for (let time = 0; time < 5; time++) {
      const objects = "const kept = []; for (let n = 0; n < 6e5; n++) kept.push({ n, text: 'x' + n }); kept.length";
      expect(await run(objects)).toMatchObject({ result: 600_000 });
      const texts = "const kept = []; for (let n = 0; n < 300; n++) kept.push('x'.repeat(1e5) + n); kept.length";
      expect(await run(texts)).toMatchObject({ result: 300 });
      const numbers =
        "const kept = []; for (let n = 0; n < 56; n++) kept.push(new Array(2 ** 17).fill(1.5)); kept.length";
      expect(await run(numbers)).toMatchObject({ result: 56 });
      expect(await run("new Array(7e6).fill(1).length")).toMatchObject({ result: 7_000_000 });
    }
  });

  it("groups of a host that was killed are removed by the next", async () => {
    const host = startHost("contained-host.ts", ["process", ""]);
    await host.nextLine();
    const left = listGroups().filter((name) => name.startsWith(`sallyport-${host.pid}-`));
    expect(left.length).toBeGreaterThan(0);
    host.kill();
    await host.whenEnded;
    // One that nothing was ever in, of a process that never was.
    mkdirSync(`${memoryGroupOf("self")?.path}/sallyport-999999999-1-0`);
    await vi.waitFor(async () => {
      expect(await runHost("idle-host.ts", ["process"])).toMatchObject({ code: 0 });
      expect(listGroups().filter((name) => left.includes(name) || name.includes("-999999999-"))).toEqual([]);
    }, 20_000);
  });
});
