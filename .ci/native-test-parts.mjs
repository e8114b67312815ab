// Compiles what only tests need for the Node that runs them: better-sqlite3, for the SQLite checkpointer's tests.
// No part of `npm start` or `npm test`: without it those tests are skipped and say so. Needs a C++ compiler, make and Python.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const bin = join(root, "node_modules", ".bin");
const node = join(root, "node_modules", "node", "bin", "node");

function load() {
  const script = "new (require('better-sqlite3'))(':memory:').close()";
  return spawnSync(node, ["-e", script], { cwd: root, stdio: "ignore" }).status === 0;
}

if (load()) process.exit(0);
// The folder of the Node that runs the tests holds its headers, too: nothing is fetched for it.
const ofNode = createRequire(join(root, "node_modules", "node", "package.json"));
const headers = dirname(ofNode.resolve(`node-${process.platform}-${process.arch}/package.json`));
const env = { ...process.env, PATH: [bin, process.env.PATH ?? ""].join(delimiter) };
const isWindows = process.platform === "win32";
// npm's own node-gyp: the package's install script stays off, so that no ordinary install waits for a compiler.
// Asked with the machine's own Node: npm looks for it beside whichever Node comes first on PATH.
const outerPath = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((entry) => !entry.endsWith(join("node_modules", ".bin")));
const outer = { ...process.env, PATH: outerPath.join(delimiter) };
const global = spawnSync("npm", ["root", "-g"], { encoding: "utf8", env: outer, shell: isWindows }).stdout.trim();
const gyp = join(global, "npm", "node_modules", "node-gyp", "bin", "node-gyp.js");
const done = spawnSync(node, [gyp, "rebuild", "--release", `--nodedir=${headers}`], {
  cwd: join(root, "node_modules", "better-sqlite3"),
  env,
  stdio: ["ignore", 2, 2],
});
if (done.status !== 0 || !load()) {
  process.stderr.write(
    "native-test-parts: better-sqlite3 could not be compiled; the tests that need it will be skipped\n",
  );
  process.exit(done.status || 1);
}
