// The suites of conformance and attacks with workers on Node 24, the oldest that they may run on.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installNode, NODE_24 } from "./other-node.mjs";

const work = mkdtempSync(join(tmpdir(), "sallyport-workers24-"));
try {
  const env = { ...process.env, SALLYPORT_TEST_NODE: installNode(NODE_24, work) };
  const suites = ["run", "--project", "short", "test/conformance", "test/attacks"];
  const { status } = spawnSync("vitest", suites, { env, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
