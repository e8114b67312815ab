// Makes dist/ from nothing: JavaScript, the types beside it, the generated guest files, and a command that can be run.
// Sources cannot be published as they are: Node does not run TypeScript below node_modules.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { emit, rewriteSpecifiers } from "./emit.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

function run(script, args) {
  const done = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: ["ignore", 2, 2] });
  if (done.error) throw done.error;
  if (done.status !== 0) process.exit(done.status ?? 1);
}

rmSync(dist, { recursive: true, force: true });
if (!existsSync(join(root, "src/worker/guest/url.generated.js"))) run(join(root, ".ci/bundle-url.mjs"), []);
await emit(dist);
const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
run(join(typescript, "bin/tsc"), ["-p", "tsconfig.build.json"]);
// The compiler leaves `./x.ts` in types, which not every tool follows.
for (const path of readdirSync(dist, { recursive: true })) {
  if (!path.endsWith(".d.ts")) continue;
  const file = join(dist, path);
  writeFileSync(file, rewriteSpecifiers(readFileSync(file, "utf8")));
}
