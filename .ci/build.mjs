// Makes dist/ from nothing: compiled JavaScript with its types, the generated guest file, and a command that can be run.
// Sources cannot be published as they are: Node does not run TypeScript below node_modules.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const generated = join(root, "src/worker/guest/url.generated.js");
const library = join(dist, "worker/guest/url.js");
const python = "src/worker/guest/python";
const command = join(dist, "cli/main.js");
const shebang = "#!/usr/bin/env node";

function run(script, args) {
  const done = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: ["ignore", 2, 2] });
  if (done.error) throw done.error;
  if (done.status !== 0) process.exit(done.status ?? 1);
}

/** The compiler rewrites `./x.ts` to `./x.js` in JavaScript and leaves it in types, which not every tool follows. */
function rewriteSpecifiers(path) {
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace(/((?:from|import)\s*\(?\s*"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
}

rmSync(dist, { recursive: true, force: true });
if (!existsSync(generated)) run(join(root, ".ci/bundle-url.mjs"), []);
const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
run(join(typescript, "bin/tsc"), ["-p", "tsconfig.build.json"]);
cpSync(generated, library);
const digest = readFileSync(join(root, python, "built/snapshot.sha256"), "utf8").trim();
cpSync(join(root, python, "built"), join(dist, "worker/guest/python/built"), { recursive: true });
const digestModule = join(dist, "worker/engines/python/digest.js");
const compiled = readFileSync(digestModule, "utf8");
if (!compiled.includes("SNAPSHOT_SHA256 = null")) throw new Error("build: digest.ts has no place for the digest");
writeFileSync(digestModule, compiled.replace("SNAPSHOT_SHA256 = null", `SNAPSHOT_SHA256 = "${digest}"`));
cpSync(join(root, "src/sandbox/container/Containerfile"), join(dist, "sandbox/container/Containerfile"));
cpSync(join(root, "src/policy/policy.schema.json"), join(dist, "policy.schema.json"));
for (const path of readdirSync(dist, { recursive: true })) {
  if (path.endsWith(".d.ts")) rewriteSpecifiers(join(dist, path));
}
if (!readFileSync(command, "utf8").startsWith(`${shebang}\n`)) {
  process.stderr.write(`build: src/cli/main.ts must begin with ${shebang}\n`);
  process.exit(1);
}
chmodSync(command, 0o755);
