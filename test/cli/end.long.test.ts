/**
 * How the command ends: by a signal, by a reader that goes away, with something open that never closes; and that nothing of
 * it runs on.
 * Real processes, ended by their own ids.
 */

import { describe, expect, it, vi } from "vitest";
import {
  childrenOf,
  collect,
  cpuTicksOfChildren,
  isRunning,
  parseLines,
  runCommand,
  startCommand,
  withoutWarning,
} from "./command.ts";
import { NEVER, UNFINISHED, withBody } from "./stuck-command.ts";

const WAITING = '{"id":1,"language":"javascript","source":"return 1"}\n';
const BUSY = '{"id":2,"language":"javascript","source":"while (true);","limits":{"timeoutMs":60000}}\n';

/** A batch that has answered one line and is busy with the next, and the processes that it has started. */
async function startBusyBatch() {
  const child = startCommand(["batch", "--concurrency", "2"]);
  const ended = collect(child);
  child.stdin.write(WAITING + BUSY);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const workers = childrenOf(child.pid ?? 0);
  return { child, ended, workers };
}

function expectGone(pids: readonly number[]): Promise<void> {
  return vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), { timeout: 10_000 });
}

describe.runIf(process.platform === "linux")("a signal", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s ends the command with %i, and every worker", async (signal, code) => {
    const { child, ended, workers } = await startBusyBatch();
    expect(workers.length).toBeGreaterThan(0);
    child.kill(signal);
    expect(await ended).toMatchObject({ code, stderr: "" });
    await expectGone(workers);
  });

  it("SIGKILL of the command ends every worker", async () => {
    const { child, ended, workers } = await startBusyBatch();
    child.kill("SIGKILL");
    await ended;
    await expectGone(workers);
  });

  it("SIGINT during a run prints how it ended, with what was printed and how long it ran", async () => {
    const child = startCommand(["run", "--json", "--containment", "process", "--limit", "timeoutMs=60000", "-"]);
    const ended = collect(child);
    // A worker's start takes less than a second of processor time: more than that is the program.
    child.stdin.end('console.log("x"); while (true);');
    await vi.waitFor(() => expect(Math.max(...cpuTicksOfChildren(child.pid ?? 0))).toBeGreaterThan(120), {
      timeout: 100_000,
      interval: 200,
    });
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).not.toContain("sallyport:");
    const [observation] = parseLines(stdout);
    expect(observation).toMatchObject({ status: "cancelled", stdout: ["x"] });
    expect((observation?.usage as { wallMs: number }).wallMs).toBeGreaterThan(100);
  }, 120_000);

  it("SIGINT during a step of the tour shows nothing after it", async () => {
    const child = startCommand([]);
    const ended = collect(child);
    // The step whose program never ends is on the screen before its observation is.
    await new Promise<void>((resolve) => {
      let shown = "";
      child.stdout.on("data", (text: string) => {
        shown += text;
        if (shown.includes("Never end")) resolve();
      });
    });
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(stdout).not.toContain("not as the tour says");
    expect(stdout).not.toContain("A memory bomb");
  }, 120_000);

  it("SIGINT ends the tour and a run", async () => {
    for (const args of [[], ["run", "--limit", "timeoutMs=60000", "-"]]) {
      const child = startCommand(args);
      const ended = collect(child);
      child.stdin.end('console.log("x"); while (true);');
      await vi.waitFor(() => expect(childrenOf(child.pid ?? 0).length).toBeGreaterThan(0), { timeout: 60_000 });
      const workers = childrenOf(child.pid ?? 0);
      child.kill("SIGINT");
      const { code, signal, stderr } = await ended;
      // Until something is open, the signal ends the process by itself, which a shell calls 130 as well.
      expect({ code: signal === "SIGINT" ? 130 : code, stderr }).toEqual({ code: 130, stderr: "" });
      await expectGone(workers);
    }
  }, 180_000);
});

describe("a reader that goes away", () => {
  it("ends the command quietly", async () => {
    const child = startCommand(["batch", "--concurrency", "1"]);
    child.stdout.once("data", () => child.stdout.destroy());
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.stdin.on("error", () => {});
    const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
    // Standard input stays open: the command has to end by itself.
    child.stdin.write(WAITING.repeat(5000));
    expect(await closed).toBe(0);
    expect(withoutWarning(stderr)).toBe("");
  });
});

describe("a command that has opened what never closes", () => {
  const OPENED = "closeOnExit(() => new Promise(() => {}));";

  it.each([0, 1])("ends with the code that it has come to: %i", async (code) => {
    const ended = await runCommand(["doctor"], withBody(`${OPENED} return ${code};`));
    expect(ended).toEqual({ code, signal: null, stdout: "", stderr: "" });
  });

  it("and waits for what never comes ends with 2, and says so", async () => {
    expect(await runCommand(["doctor"], withBody(`${OPENED} ${NEVER}`))).toEqual(UNFINISHED);
  });

  it.runIf(process.platform !== "win32")("ends with the code of the signal that ends it", async () => {
    const body = `const timer = setInterval(() => {}, 1000);
      closeOnExit(() => { clearInterval(timer); return new Promise(() => {}); });
      console.log("open");
      ${NEVER}`;
    const child = startCommand(["doctor"], withBody(body));
    const ended = collect(child);
    child.stdout.once("data", () => child.kill("SIGINT"));
    expect(await ended).toEqual({ code: 130, signal: null, stdout: "open\n", stderr: "" });
  });
});
