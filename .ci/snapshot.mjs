// Builds the snapshot that Python's interpreters are restored from, in a locked-down worker: 5 to 10 seconds, once.
// Runs on the Node of the workers, after the packages are there. What is built is for this version of the code alone.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { processLauncher } from "../src/sandbox/launchers/process.ts";
import { snapshotFolder } from "../src/sandbox/python-snapshot.ts";
import { findSetpriv } from "../src/sandbox/spawn.ts";
import { findWorkerFiles } from "../src/sandbox/worker-files.ts";
import { packTimeZones } from "./time-zones.mjs";

const MAX_BYTES = 64 * 1024 * 1024;
const files = findWorkerFiles("python");
const plan = {
  node: { path: process.execPath, origin: "host" },
  files,
  setpriv: findSetpriv(),
  language: "python",
  role: "snapshot",
  prepared: 0,
  env: {},
};
const { path, args, env } = processLauncher.command(plan);
// For the worker alone: what it makes of them is in the snapshot.
const zones = join(snapshotFolder(files.entry), "zones.json");
mkdirSync(dirname(zones), { recursive: true, mode: 0o755 });
writeFileSync(zones, JSON.stringify(packTimeZones()));
const done = spawnSync(path, args, {
  env,
  maxBuffer: MAX_BYTES,
  stdio: ["ignore", "pipe", "inherit", "ignore"],
  timeout: 300_000,
  killSignal: "SIGKILL",
});
rmSync(zones, { force: true });
const frame = done.stdout ?? Buffer.alloc(0);
if (frame.length < 5 || frame.readUInt32BE(0) !== frame.length - 4) {
  process.stderr.write("snapshot: the worker did not deliver it; see the lines above\n");
  process.exit(1);
}
const packed = frame.subarray(4);
// Beside the sources, whatever the worker was made of: from there dist/ is filled.
const folder = snapshotFolder(resolve(dirname(fileURLToPath(import.meta.url)), "../src/worker/main.ts"));
mkdirSync(folder, { recursive: true });
chmodSync(folder, 0o755);
const digest = createHash("sha256").update(packed).digest("hex");
for (const [name, content] of [
  ["snapshot.bin", packed],
  ["snapshot.sha256", `${digest}\n`],
]) {
  const partial = join(folder, `${name}.${process.pid}`);
  writeFileSync(partial, content, { mode: 0o644 });
  chmodSync(partial, 0o644);
  renameSync(partial, join(folder, name));
}
process.stderr.write(`snapshot: ${(packed.length / 1e6).toFixed(1)} MB, sha256 ${digest.slice(0, 16)}…\n`);
