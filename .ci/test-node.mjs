// The suites of conformance and attacks with workers on another Node: its version is the one argument, as the npm package
// `node` has it. Installed in a temporary folder, beside everything and in nobody's way.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [version = ""] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error("expected the version of a Node, like 24.21.0");
const folder = mkdtempSync(join(tmpdir(), "sallyport-node-"));

function run(command, args, options) {
  const { status, error } = spawnSync(command, args, { stdio: "inherit", ...options });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(" ")} ended with ${status}`);
}

try {
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  run("npm", ["install", "--no-save", "--no-audit", "--no-fund", `node@${version}`], { cwd: folder });
  const env = { ...process.env, SALLYPORT_TEST_NODE: resolve(folder, "node_modules/node/bin/node") };
  run("vitest", ["run", "--project", "short", "test/conformance", "test/attacks"], { env });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
