// The short form of the suite for the other Node that a host may run on, with its workers on the repository's: what a user's
// own process does with the graph. Everything else runs on one Node; the package check starts hosts on 22, 24 and 26.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { installNode, NODE_24 } from "./other-node.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const work = mkdtempSync(join(tmpdir(), "sallyport-host24-"));
const SUITES = ["agent", "embedding", "streaming", "middleware", "tool-node", "approval", "context"];
try {
  const node = installNode(NODE_24, work);
  const path = [dirname(node), ...(process.env.PATH ?? "").split(delimiter)].join(delimiter);
  // What is compiled for the repository's Node (better-sqlite3) does not load on this one: those tests say so and are skipped.
  const env = { ...process.env, PATH: path, SALLYPORT_TEST_REQUIRE: "" };
  const files = SUITES.map((name) => `test/graph/${name}`);
  const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--project", "short", ...files];
  const { status } = spawnSync(node, args, { cwd: root, env, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
