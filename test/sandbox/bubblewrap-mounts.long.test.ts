/**
 * That bubblewrap can run does not hang on the mounts of others, which come and go: with `auto`, a refusal would be a weaker
 * containment. In a mount namespace of its own, so that the machine sees none of it.
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { childrenOf, isRunning } from "../cli/command.ts";
import { describeLauncher, isRequired } from "../fixtures/launchers.ts";

// Private first: what was shared with the machine's own would be mounted there too.
const UNSHARE = ["--mount", "--propagation", "private", "sh", "-c", 'mount --make-rshared / && exec "$@"', "sh"];
const HOST = fileURLToPath(new URL("../fixtures/bubblewrap-mounts-host.ts", import.meta.url));

const canUnshare = spawnSync("unshare", [...UNSHARE, "true"], { timeout: 10_000 }).status === 0;

const SOON = { timeout: 20_000, interval: 20 };

function readArguments(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
  } catch {
    return [];
  }
}

describeLauncher("bubblewrap", () => {
  it.skipIf(!canUnshare && !isRequired("bubblewrap"))(
    "opens each time while mounts come and go (skipped where unshare may make no mount namespace)",
    () => {
      const folder = mkdtempSync(join(tmpdir(), "sallyport-mounts-"));
      const args = [...UNSHARE, process.execPath, "--disable-warning=ExperimentalWarning", HOST, folder];
      const told = spawnSync("unshare", args, { encoding: "utf8", timeout: 80_000, killSignal: "SIGKILL" });
      rmSync(folder, { recursive: true });
      expect({ stderr: told.stderr, status: told.status }).toEqual({ stderr: "", status: 0 });
      expect(JSON.parse(told.stdout)).toEqual([]);
    },
  );

  it.skipIf(!canUnshare && !isRequired("bubblewrap"))("leaves nobody who mounts when its host is killed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-mounts-"));
    const args = [...UNSHARE, process.execPath, "--disable-warning=ExperimentalWarning", HOST, folder];
    const host = spawn("unshare", args, { stdio: "ignore" });
    const ended = once(host, "close");
    const mounters = await vi.waitFor(() => {
      const found = childrenOf(host.pid ?? 0).filter((pid) => readArguments(pid).includes("mounts"));
      expect(found).toHaveLength(1);
      return found;
    }, SOON);
    host.kill("SIGKILL");
    await ended;
    await vi
      .waitFor(() => expect(mounters.filter(isRunning)).toEqual([]), SOON)
      .finally(() => {
        for (const pid of mounters.filter(isRunning)) process.kill(pid, "SIGKILL");
      });
    rmSync(folder, { recursive: true });
  });
});
