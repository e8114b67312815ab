/**
 * Attacks on memory, where the isolate counts it and where only the watchdog sees it.
 * The host's own memory and the machine's stay out of it.
 */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { listTree } from "../studio/process-tree.ts";
import { describeAttacks, useAttackedSandbox } from "./attack.ts";

const inUse = useAttackedSandbox();
describeAttacks("memory", inUse);

const MIB = 1024 * 1024;

/** Resident memory of a process, in MiB; 0 where it has ended. */
function residentMb(pid: number): number {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * 4096) / MIB;
  } catch {
    return 0;
  }
}

describe("a worker under attack", () => {
  it.each([
    ["one list", "new Array(2 ** 27).fill(0)"],
    [
      "many buffers",
      "const kept = []; for (;;) try { kept.push(new Uint8Array(2 ** 20).fill(1)) } catch { kept.length = 0 }",
    ],
    ["one text", "'x'.padEnd(2 ** 29 - 25).split('').length"],
  ])("by %s is ended before it takes the machine's memory", async (_, source) => {
    const running = inUse.run(source, { limits: { timeoutMs: 1500 } });
    let isOn = true;
    void running.finally(() => {
      isOn = false;
    });
    let peakMb = 0;
    while (isOn) {
      for (const { pid } of listTree(process.pid)) if (pid !== process.pid) peakMb = Math.max(peakMb, residentMb(pid));
      await new Promise((done) => setImmediate(done));
    }
    expect(["memory_limit", "timeout", "crashed"]).toContain((await running).status);
    expect(peakMb).toBeLessThan(800);
  });

  it("leaves the host's own memory alone", async () => {
    const before = process.memoryUsage().rss;
    for (const source of ["'x'.repeat(2 ** 26)", "new Array(5e7)", "console.log('x'.repeat(2 ** 26))"])
      await inUse.run(source);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
  });
});

describe("a larger limit", () => {
  const source = "const kept = []; for (let n = 0; n < 100; n++) kept.push(new Array(1e5).fill(1.5)); kept.length";

  it("lets a program have what it asks for, and the usual one does not", async () => {
    expect(await inUse.run(source, { limits: { memoryMb: 256, timeoutMs: 20_000 } })).toMatchObject({ result: 100 });
    expect(await inUse.run(source, { limits: { memoryMb: 32, timeoutMs: 20_000 } })).toMatchObject({
      status: "memory_limit",
    });
    expect(await inUse.run("1")).toMatchObject({ ok: true, result: 1 });
  });
});
