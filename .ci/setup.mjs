// Installs what `npm start` and `npm test` need, where it is missing or older than the lock file, and else does nothing.
// It runs on the machine's own Node (20 or newer) before anything is installed: no dependencies, no TypeScript.
// It writes to stderr only, since the commands behind it print JSON. Two that run at once take turns.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./lock.mjs";
import { isOfOneAge, listFiles } from "./outputs.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
const stamp = join(modules, ".sallyport-setup");
const binary = join(modules, "node", "bin", process.platform === "win32" ? "node.exe" : "node");
const generated = join(root, "src/worker/guest/url.generated.js");
const emitters = [".ci/emit.mjs", ".ci/guest-functions.mjs", ".ci/outputs.mjs"];
const generators = [".ci/bundle-url.mjs", ".ci/idna-tables.mjs"];
const snapshot = join(root, "src/worker/guest/python/built/snapshot.bin");
const PYTHON_FOLDERS = ["src/worker/guest/python", "src/worker/engines/python"];
const [PACKAGES, LIBRARY, SNAPSHOT, CODE] = [0, 1, 2, 3];
const started = Date.now();

class Failure extends Error {}

const say = (line) => process.stderr.write(`set-up: ${line}\n`);
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

function readStamp() {
  return existsSync(stamp) ? readFileSync(stamp, "utf8").split("\n") : [];
}

/** Files below a folder, sorted, without what was built there. */
function listSources(folder) {
  const names = listFiles(join(root, folder)).filter((name) => !name.startsWith("built/"));
  return names.map((name) => `${folder}/${name}`);
}

/** What each part is made from: the packages, the guest's URL library, Python's snapshot, the JavaScript of the sources. */
function inputs() {
  const python = [
    ".ci/snapshot.mjs",
    ".ci/time-zones.mjs",
    "src/worker/snapshot.ts",
    ...PYTHON_FOLDERS.flatMap(listSources),
  ];
  return [
    ["package-lock.json"],
    ["package-lock.json", ...generators],
    ["package-lock.json", ...python],
    [...emitters, ...listFiles(join(root, "src")).flatMap((file) => (file.endsWith(".bin") ? [] : [`src/${file}`]))],
  ];
}

function hashOf(files) {
  const sum = createHash("sha256");
  for (const file of files) if (existsSync(join(root, file))) sum.update(readFileSync(join(root, file)));
  return sum.digest("hex");
}

/** Whether the stamp, a line for each part, has what that part would be made from now. */
const isCurrent = (part) => readStamp()[part] === hashOf(inputs()[part]);
const hasPackages = () => isCurrent(PACKAGES) && existsSync(binary);
const hasLibrary = () => isCurrent(LIBRARY) && existsSync(generated);
const hasSnapshot = () => isCurrent(SNAPSHOT) && existsSync(snapshot);
const hasCode = () => isCurrent(CODE) && isOfOneAge(join(root, "src"), join(root, "dist"));
const isDone = () => hasPackages() && hasLibrary() && hasSnapshot() && hasCode();

/** True where npm itself, run by hand, has already laid out what the lock file names. */
function isInstalled() {
  const hidden = join(modules, ".package-lock.json");
  if (!existsSync(hidden)) return false;
  const present = readJson(hidden).packages;
  const wanted = Object.entries(readJson(join(root, "package-lock.json")).packages);
  return wanted.every(([path, entry]) => path === "" || entry.optional || present[path]?.version === entry.version);
}

/** The outer npm put `node_modules/.bin` on PATH: the Node in there must not run what replaces it. */
function outerEnvironment() {
  const path = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((entry) => !entry.endsWith(join("node_modules", ".bin")));
  return { ...process.env, PATH: path.join(delimiter) };
}

function runStep(what, command, args, advice) {
  say(`${what} …`);
  const isNpm = command === "npm";
  const done = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    env: isNpm ? outerEnvironment() : process.env,
    maxBuffer: 64 * 1024 * 1024,
    shell: isNpm && process.platform === "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (done.error?.code === "ENOENT")
    throw new Failure(`"${command}" was not found: install Node 20 or newer with npm.`);
  if (done.status === 0) return;
  const tail = `${done.stdout ?? ""}${done.stderr ?? ""}`.trim().split("\n").slice(-15).join("\n");
  if (tail !== "") process.stderr.write(`${tail}\n`);
  const reason = done.error?.message ?? (done.signal ? `ended by ${done.signal}` : `exit code ${done.status}`);
  const named = args.find((arg) => !arg.startsWith("-"));
  throw new Failure(`"${command} ${named}" failed (${reason}): ${advice}`);
}

function installPackages() {
  if (!isInstalled()) {
    const advice =
      "see the lines above; the package registry must be reachable and the folder writable. Then try again.";
    runStep("installing packages, once (npm ci)", "npm", ["ci", "--ignore-scripts", "--include=dev"], advice);
  }
  const companion = join(modules, "node", "package.json");
  if (!existsSync(companion)) throw new Failure('npm left no package "node": remove node_modules and try again.');
  const { version } = readJson(companion);
  const isUsable = () => spawnSync(binary, ["--version"], { encoding: "utf8" }).stdout?.trim() === `v${version}`;
  if (!isUsable()) {
    const advice =
      'the package "node" could not fetch its binary for this platform; see the lines above and try again.';
    runStep(`fetching Node ${version}, once`, "npm", ["rebuild", "node", "--ignore-scripts=false"], advice);
    if (!isUsable()) throw new Failure(`Node ${version} was fetched and does not run on this machine: ${binary}`);
  }
}

function install() {
  const [needsPackages, needsLibrary, needsSnapshot] = [!hasPackages(), !hasLibrary(), !hasSnapshot()];
  const stampBefore = readStamp();
  rmSync(stamp, { force: true });
  if (needsPackages) installPackages();
  const advice = "remove node_modules and try again.";
  if (needsLibrary) runStep("generating the guest's URL library", binary, [join(root, generators[0])], advice);
  if (needsSnapshot) {
    runStep("building Python's snapshot, some seconds", binary, [join(root, ".ci/snapshot.mjs")], advice);
  }
  // Before the sources are read, and after what is generated among them: an edit that comes between is not taken for done.
  const hashes = inputs().map(hashOf);
  if (stampBefore[CODE] !== hashes[CODE] || !isOfOneAge(join(root, "src"), join(root, "dist"))) {
    const emit = ["--disable-warning=ExperimentalWarning", join(root, ".ci/emit.mjs")];
    runStep("taking the types out of the sources", binary, emit, "see the lines above.");
  }
  writeFileSync(stamp, `${hashes.join("\n")}\n`);
  say(`done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

try {
  if (!isDone()) {
    withLock(root, say, () => {
      if (!isDone()) install();
    });
  }
} catch (error) {
  if (error instanceof Failure) say(error.message);
  else say(`failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
