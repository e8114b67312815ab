/**
 * The thread that keeps watch, with what it works with gone: an undertaker that reads no more, and the thread itself. Nothing
 * may run that nobody watches, and no worker pays for another's trouble.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { keepWatcher, spawnWatcher, type Watcher } from "../../src/sandbox/spawn.ts";
import { createSupervisor, type Supervisor } from "../../src/sandbox/supervisor.ts";
import { monotonicMs } from "../../src/sandbox/supervisor-memory.ts";

const FOREVER = Number.POSITIVE_INFINITY;

const sleepers: ChildProcess[] = [];
afterEach(() => {
  for (const sleeper of sleepers.splice(0)) sleeper.kill("SIGKILL");
});

function startSleeper(): { pid: number; whenEnded: Promise<unknown> } {
  const sleeper = spawn("sleep", ["600"], { stdio: "ignore" });
  sleepers.push(sleeper);
  return { pid: sleeper.pid as number, whenEnded: once(sleeper, "exit") };
}

async function startedSupervisor(capacity: number): Promise<{ supervisor: Supervisor; thread: Worker }> {
  const making = once(process, "worker");
  const supervisor = createSupervisor(capacity);
  const [thread] = (await making) as [Worker];
  await supervisor.whenReady;
  return { supervisor, thread };
}

/** One that has ended by itself, as if it had been killed. */
async function deadWatcher(): Promise<Watcher> {
  const watcher = spawnWatcher("/bin/sh", ["-c", "exit 0"], {});
  await watcher.whenEnded;
  return watcher;
}

describe.skipIf(process.platform === "win32")("the supervisor thread", () => {
  it("goes on watching the others when an undertaker is gone", async () => {
    const { supervisor } = await startedSupervisor(2);
    const undertaker = await deadWatcher();
    try {
      const [unseen, other] = [startSleeper(), startSleeper()];
      // Not located yet, as while its container starts.
      const first = supervisor.watch(unseen.pid, { fd: undertaker.fd, serial: 1 });
      first.arm(monotonicMs() + 20, FOREVER);
      await unseen.whenEnded;
      expect(first.cause()).toBe("deadline");
      const second = supervisor.watch(other.pid);
      second.arm(monotonicMs() + 20, FOREVER);
      await other.whenEnded;
      expect(second.cause()).toBe("deadline");
    } finally {
      await supervisor.close();
      await undertaker.close();
    }
  });

  it("takes with it what it watches when it ends, and nothing starts without it", async () => {
    const { supervisor, thread } = await startedSupervisor(2);
    const { pid, whenEnded } = startSleeper();
    supervisor.watch(pid).arm(monotonicMs() + 600_000, FOREVER);
    await thread.terminate();
    await whenEnded;
    expect(() => supervisor.watch(pid)).toThrow("The supervisor thread has ended");
    await supervisor.close();
  });

  it("orders the end of what it cannot end itself, from the caller's side as well", async () => {
    const { supervisor, thread } = await startedSupervisor(2);
    const folder = mkdtempSync(join(tmpdir(), "sallyport-orders-"));
    const orders = join(folder, "orders");
    const undertaker = spawnWatcher("/bin/sh", ["-c", 'cat > "$0"', orders], { PATH: "/usr/bin:/bin" });
    try {
      const { pid, whenEnded } = startSleeper();
      supervisor.watch(pid, { fd: undertaker.fd, serial: 7 }).arm(monotonicMs() + 600_000, FOREVER);
      await thread.terminate();
      await whenEnded;
      await undertaker.close();
      expect(readFileSync(orders, "utf8")).toBe("kill 7\n");
    } finally {
      await supervisor.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("ends nobody when it is closed", async () => {
    const { supervisor } = await startedSupervisor(2);
    const [spared, last] = [startSleeper(), startSleeper()];
    supervisor.watch(spared.pid).arm(monotonicMs() + 600_000, FOREVER);
    let isSpared = true;
    void spared.whenEnded.then(() => {
      isSpared = false;
    });
    await supervisor.close();
    // Whatever was ended before this one is seen before it.
    process.kill(last.pid, "SIGKILL");
    await last.whenEnded;
    expect(isSpared).toBe(true);
  });
});

describe.skipIf(process.platform === "win32")("a watcher that was ended", () => {
  it("is written to in vain: its number is no other file's", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-watcher-"));
    const path = join(folder, "ledger");
    const watcher = await deadWatcher();
    const opened = Array.from({ length: 8 }, () => openSync(path, "a"));
    try {
      expect(opened).not.toContain(watcher.fd);
      watcher.tell("kill 1");
      await watcher.close();
      watcher.tell("kill 2");
      expect(readFileSync(path, "utf8")).toBe("");
    } finally {
      for (const fd of opened) closeSync(fd);
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("has a successor at the next need, and none once it is closed", async () => {
    const kept = keepWatcher(() => spawnWatcher("/bin/sh", ["-c", "read -r word"], {}));
    const first = kept.current();
    expect(kept.current()).toBe(first);
    first.tell("end");
    await first.whenEnded;
    expect(kept.current()).not.toBe(first);
    await kept.close();
    expect(kept.current().hasEnded).toBe(true);
  });
});
