// Other versions of Node than the repository's own, from the registry, each in a folder of its own: for whoever must run on them.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const NODE_22 = "22.23.3";
export const NODE_24 = "24.21.0";

/** Gives the path of the binary. @throws Error where it cannot be fetched, or is another version. */
export function installNode(version, parent, env = process.env) {
  const folder = join(parent, `node-${version}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const options = { cwd: folder, encoding: "utf8", env, timeout: 300_000 };
  const fetched = spawnSync("npm", ["install", `node@${version}`], options);
  const binary = join(folder, "node_modules/node/bin/node");
  const told = spawnSync(binary, ["--version"], options);
  if (told.stdout?.trim() === `v${version}`) return binary;
  throw new Error(`Node ${version} cannot be fetched: ${fetched.stderr || told.stderr || told.error}`);
}
