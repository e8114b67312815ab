// The tests of what runs in a user's own process, with that process on Node 24 and its workers on the repository's Node:
// the graph, and the client of the development server. The short form of the suite; everything else runs on one Node.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { installNode, NODE_24 } from "./other-node.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const work = mkdtempSync(join(tmpdir(), "sallyport-host24-"));
const SUITES = [
  ["--project", "short", "test/graph/", "test/graph-model/", "test/nodes/"],
  ["--project", "long", "test/studio/client"],
];
try {
  const node = installNode(NODE_24, work);
  const path = [dirname(node), ...(process.env.PATH ?? "").split(delimiter)].join(delimiter);
  // What is compiled for the repository's Node (better-sqlite3) does not load on this one: those tests say so and are skipped.
  const env = { ...process.env, PATH: path, SALLYPORT_TEST_REQUIRE: "" };
  for (const suite of SUITES) {
    const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", ...suite];
    const { status } = spawnSync(node, args, { cwd: root, env, stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
