/**
 * A worker may get the pid of one that ended before it: it is watched like any other. In a PID namespace of its own, where
 * the next pid may be chosen; by itself it is one start in as many as there are pids.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const UNSHARE = ["--pid", "--fork", "--mount-proc", "--kill-child"];
const HOST = fileURLToPath(new URL("../fixtures/reused-pid-host.ts", import.meta.url));

const canUnshare = spawnSync("unshare", [...UNSHARE, "true"], { timeout: 10_000 }).status === 0;
const mustRun = process.env.SALLYPORT_TEST_REQUIRE === "all";

describe.skipIf(!canUnshare && !mustRun)("a reused pid (skipped where unshare may make no PID namespace)", () => {
  it("is no reason to take a worker for the one before it: its deadline holds", () => {
    const args = [...UNSHARE, process.execPath, "--disable-warning=ExperimentalWarning", HOST];
    const { stdout, stderr } = spawnSync("unshare", args, { encoding: "utf8", timeout: 60_000, killSignal: "SIGKILL" });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({ signal: "SIGKILL", cause: "deadline" });
  });
});
