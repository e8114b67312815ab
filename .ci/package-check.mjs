// Packs the product, installs the tarball in an empty project outside the repository, and uses it as a newcomer would:
// on Node 26, with the host on Node 22, with workers on Node 24, and with no Node for workers at all.
// Needs the package registry. Prints one line per check, exits 1 when one fails.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { installNode, NODE_22, NODE_24 } from "./other-node.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const work = mkdtempSync(join(tmpdir(), "sallyport-package-"));
const project = join(work, "project");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const outerPath = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((entry) => !entry.endsWith(join("node_modules", ".bin")));
const outerEnv = { ...process.env, PATH: outerPath.join(delimiter) };
let passed = 0;
let failed = 0;

/** Runs a command to its end and gives what it printed. A hang is a failure, too; null takes any exit code. */
function run(command, args, { cwd = project, path = [], input = "", wanted = 0, timeout = 120_000 } = {}) {
  const env = { ...process.env, PATH: [...path, ...outerPath].join(delimiter), NODE_ENV: "development" };
  const done = spawnSync(command, args, { cwd, encoding: "utf8", env, input, maxBuffer: 1 << 26, timeout });
  if (done.error) throw done.error;
  if (wanted !== null && done.status !== wanted) {
    throw new Error(
      `${command} ${args.join(" ")}: exit ${done.status ?? done.signal}, wanted ${wanted}\n${done.stdout}${done.stderr}`,
    );
  }
  return done;
}

function runJson(node, script, args = []) {
  return JSON.parse(run(node, [script, ...args]).stdout);
}

function expect(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: wanted ${b}, found ${a}`);
}

function check(title, body) {
  const started = Date.now();
  try {
    body();
    passed++;
    console.log(`ok      ${title} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${title}\n${error instanceof Error ? error.message : String(error)}`);
  }
}

function expectRuns(printed, host, worker) {
  expect(printed.host.split(".")[0], `v${host}`, "host");
  if (!printed.worker.includes(`${worker}.`)) throw new Error(`worker: wanted Node ${worker}, found ${printed.worker}`);
  expect(printed.good.result, [2, 4, 6], "result");
  expect(printed.typed.result, 7, "TypeScript");
  expect(printed.url.result, "xn--exmple-cua.com", "URL");
  expect([printed.endless.status, printed.endless.stdout], ["timeout", ["before"]], "endless");
}

function expectGraph(printed) {
  expect([printed.good.outcome, printed.good.answers[0].result], ["success", 42], "good");
  expect(
    printed.mixed.answers.map((answer) => answer.status),
    ["ok", "denied", "rejected"],
    "statuses",
  );
}

let tarball = "";
let node26 = "";
let node22 = "";
let node24 = "";

check("the tarball holds dist, README, LICENSE and SECURITY, and nothing else", () => {
  mkdirSync(project);
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", work], { cwd: root }).stdout);
  tarball = join(work, packed.filename);
  const files = packed.files.map((file) => file.path);
  const allowed =
    /^(dist\/.+\.(js|d\.ts)|dist\/sandbox\/container\/Containerfile|dist\/policy\.schema\.json|dist\/worker\/guest\/functions\.generated\.json|dist\/worker\/guest\/python\/(.+\.py|built\/snapshot\.(bin|sha256))|README\.md|SECURITY\.md|LICENSE|package\.json)$/;
  expect(
    files.filter((file) => !allowed.test(file)),
    [],
    "unexpected files",
  );
  const needed = ["README.md", "SECURITY.md", "LICENSE", "dist/index.js", "dist/index.d.ts", manifest.bin.sallyport];
  needed.push(
    "dist/worker/main.js",
    "dist/worker/guest/url.js",
    "dist/sandbox/container/Containerfile",
    "dist/worker/guest/python/built/snapshot.bin",
  );
  expect(
    needed.filter((file) => !files.includes(file)),
    [],
    "missing files",
  );
  expect(packed.files.find((file) => file.path === manifest.bin.sallyport).mode & 0o111, 0o111, "mode of the command");
  console.log(
    `        ${files.length} files, ${Math.round(packed.size / 1024)} KB packed, ${Math.round(packed.unpackedSize / 1024)} KB unpacked`,
  );
});

// Whatever Node npm itself runs on: the node package comes first and then runs the other install scripts.
check("it installs in an empty project by one plain line, with the node package beside it", () => {
  writeFileSync(join(project, "package.json"), '{"private":true,"type":"module"}');
  run("npm", ["install", tarball, `node@${manifest.devDependencies.node}`], { timeout: 600_000 });
  node26 = join(project, "node_modules/node/bin/node");
  for (const file of ["embed.mjs", "graph.mjs", "middleware.mjs", "report.mjs", "typed.ts"])
    cpSync(join(root, ".ci/newcomer", file), join(project, file));
});

check("a newcomer's five lines run on Node 26", () => expectRuns(runJson(node26, "embed.mjs"), 26, 26));

check("the graph runs on Node 26", () => expectGraph(runJson(node26, "graph.mjs")));

check("the installed command runs a snippet from standard input", () => {
  const path = [join(project, "node_modules/.bin")];
  const input = "const result = [1,2,3].map(x => x * 2)";
  const printed = run("sallyport", ["run", "--json", "-"], { path, input }).stdout;
  expect(printed.trim().split("\n").length, 1, "lines");
  expect([JSON.parse(printed).ok, JSON.parse(printed).result], [true, [2, 4, 6]], "observation");
});

// What a newcomer does with nothing but the README: copy a block, save it, run it.
check("the README's blocks that need no model run as they stand", () => {
  const readme = readFileSync(join(project, "node_modules/sallyport/README.md"), "utf8");
  const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);
  const alone = blocks.filter((code) => !code.includes("@langchain/openai"));
  if (alone.length < 5) throw new Error(`only ${alone.length} blocks`);
  alone.forEach((code, index) => {
    const file = `block-${index}.ts`;
    writeFileSync(join(project, file), code);
    const printed = run(node26, [file]).stdout;
    if (printed.trim() === "") throw new Error(`${file} printed nothing:\n${code}`);
  });
});

check("langchain is not needed until its entry is, and then the middleware runs in createAgent", () => {
  const missing = run(node26, ["-e", 'import("sallyport/middleware")'], { wanted: 1 }).stderr;
  if (!missing.includes("langchain")) throw new Error(`no hint at langchain in: ${missing}`);
  run("npm", ["install", `langchain@${manifest.devDependencies.langchain}`], { timeout: 300_000 });
  const texts = runJson(node26, "middleware.mjs");
  expect(texts, ["Compute.", "", '{"ok":true,"status":"ok","result":42,"stdout":[]}', "Done."], "messages");
});

// LangChain's own types do not pass a strict check of libraries; ours have to.
check("the published types compile in a strict project that checks libraries", () => {
  const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
  const options = ["--module", "nodenext", "--target", "es2023", "--noEmit", "--types", "node"];
  const roots = ["--typeRoots", join(root, "node_modules/@types")];
  const printed = run(node26, [join(typescript, "bin/tsc"), ...options, ...strict, ...roots, "typed.ts"], {
    wanted: null,
  });
  const ours = printed.stdout.split("\n").filter((line) => /^(typed\.ts|node_modules\/sallyport)/.test(line));
  expect(ours, [], "errors");
});

check(`Node ${NODE_22} can be fetched`, () => {
  node22 = installNode(NODE_22, work, outerEnv);
});

check("with the host on Node 22, workers run on the node package", () => {
  expectRuns(runJson(node22, "embed.mjs"), 22, 26);
  expectGraph(runJson(node22, "graph.mjs"));
});

check(`Node ${NODE_24} can be fetched`, () => {
  node24 = installNode(NODE_24, work, outerEnv);
});

check("with workerNode, workers run on Node 24 under hosts of 22, 24 and 26", () => {
  expectRuns(runJson(node22, "embed.mjs", [node24]), 22, 24);
  expectRuns(runJson(node24, "embed.mjs", [node24]), 24, 24);
  expectRuns(runJson(node26, "embed.mjs", [node24]), 26, 24);
});

check(
  "without containment the network is open on Node 24, is said to be, and cannot be required; on Node 26 it is closed",
  () => {
    const open = runJson(node26, "report.mjs", [node24]);
    expect([open.containment, open.active, open.required.made], ["process", false, false], "Node 24");
    expect(open.required.code, "CONTAINMENT_UNAVAILABLE", "code");
    if (!/permission model of Node 24/.test(open.detail)) throw new Error(`detail: ${open.detail}`);
    if (!/Node 26.*bubblewrap/.test(open.required.message)) throw new Error(`no advice in: ${open.required.message}`);
    const closed = runJson(node26, "report.mjs");
    expect([closed.active, closed.required.made], [true, true], "Node 26");
  },
);

check("with no node package, a host on Node 24 runs its workers itself", () => {
  renameSync(join(project, "node_modules/node"), join(project, "node_modules/node.aside"));
  expectRuns(runJson(node24, "embed.mjs"), 24, 24);
});

check("with no node package, a host on Node 22 says in one sentence what to do, and exits 2", () => {
  const command = join(project, "node_modules/sallyport", manifest.bin.sallyport);
  const { stdout, stderr } = run(node22, [command, "run", "--json", "-"], { input: "1", wanted: 2 });
  expect(stdout, "", "stdout");
  if (!/\bnode\b/i.test(stderr) || !stderr.includes("24")) throw new Error(`no advice in: ${stderr}`);
  if (stderr.trim().split("\n").length > 2 || stderr.includes("    at "))
    throw new Error(`more than a sentence: ${stderr}`);
});

if (failed === 0 || process.env.CI) rmSync(work, { recursive: true, force: true });
else console.log(`Left for inspection: ${work}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
