/**
 * The set-up script before `npm start` and `npm test`: silent and quick where there is nothing to do, clear where it fails.
 * Real processes in folders of their own; `npm` is a stand-in there, so that nothing is fetched.
 */

import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A clone with nothing installed, and a folder with a program that is called `npm`. */
function makeClone(npm: string | null): { clone: string; path: string } {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-clone-"));
  folders.push(folder);
  const [clone, bin] = [join(folder, "clone"), join(folder, "bin")];
  for (const path of [clone, bin]) mkdirSync(path);
  cpSync(join(root, ".ci"), join(clone, ".ci"), { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) cpSync(join(root, name), join(clone, name));
  if (npm !== null) {
    writeFileSync(join(bin, "npm"), `#!/bin/sh\n${npm}\n`);
    chmodSync(join(bin, "npm"), 0o755);
  }
  return { clone, path: bin };
}

function setUp(folder: string, path = process.env.PATH ?? "") {
  const env = { ...process.env, PATH: path, CI: "true" };
  return spawnSync(process.execPath, [join(folder, ".ci/setup.mjs")], { cwd: folder, encoding: "utf8", env });
}

describe("the set-up", () => {
  it("does nothing, says nothing and costs next to nothing where all is there", () => {
    const started = performance.now();
    const done = setUp(root);
    expect([done.status, done.stdout, done.stderr]).toEqual([0, "", ""]);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it("says in one sentence what to do where npm is missing", () => {
    const { clone, path } = makeClone(null);
    const done = setUp(clone, path);
    expect([done.status, done.stdout]).toEqual([1, ""]);
    expect(done.stderr).toBe(
      'set-up: installing packages, once (npm ci) …\nset-up: "npm" was not found: install Node 20 or newer with npm.\n',
    );
  });

  it.skipIf(process.platform === "win32")("shows npm's own last lines where npm fails, and no stack", () => {
    const { clone, path } = makeClone('echo "npm error network down" >&2; exit 3');
    const done = setUp(clone, path);
    expect([done.status, done.stdout]).toEqual([1, ""]);
    expect(done.stderr).toContain("npm error network down");
    expect(done.stderr).toContain('"npm ci" failed (exit code 3)');
    expect(done.stderr).not.toMatch(/^ +at /m);
  });

  it.skipIf(process.platform === "win32")("is not content with an npm that installs nothing", () => {
    const { clone, path } = makeClone("exit 0");
    const done = setUp(clone, path);
    expect(done.status).toBe(1);
    expect(done.stderr).toContain('left no package "node"');
    expect(existsSync(join(clone, "node_modules/.sallyport-setup"))).toBe(false);
  });
});

describe("the lock of the set-up", () => {
  const lock = pathToFileURL(join(root, ".ci/lock.mjs")).href;

  function start(folder: string, work: string): Promise<number | null> {
    const program = `import { withLock } from ${JSON.stringify(lock)};
      import { readFileSync, writeFileSync } from "node:fs";
      withLock(${JSON.stringify(folder)}, () => {}, () => { ${work} });`;
    const env = { ...process.env, TMPDIR: folder };
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], { env, stdio: "ignore" });
    return new Promise((done) => child.once("close", done));
  }
  function makeFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), "sallyport-lock-"));
    folders.push(folder);
    writeFileSync(join(folder, "count"), "0");
    return folder;
  }
  /** Reads, dawdles and writes: loses counts as soon as two do it at once. */
  const count = `const n = Number(readFileSync("COUNT", "utf8"));
    for (const until = Date.now() + 20; Date.now() < until;);
    writeFileSync("COUNT", String(n + 1));`;

  it("lets processes work one after another", async () => {
    const folder = makeFolder();
    const work = count.replaceAll("COUNT", join(folder, "count"));
    expect(await Promise.all(Array.from({ length: 5 }, () => start(folder, work)))).toEqual([0, 0, 0, 0, 0]);
    expect(readFileSync(join(folder, "count"), "utf8")).toBe("5");
    expect(readdirSync(folder)).toEqual(["count"]);
  });

  it("is taken over from a process that died with it", async () => {
    const folder = makeFolder();
    await start(folder, `process.kill(process.pid, "SIGKILL");`);
    expect(readdirSync(folder)).toHaveLength(2);
    expect(await start(folder, count.replaceAll("COUNT", join(folder, "count")))).toBe(0);
    expect(readdirSync(folder)).toEqual(["count"]);
  });

  it("is given back where the work throws", async () => {
    const folder = makeFolder();
    expect(await start(folder, "throw new Error()")).toBe(1);
    expect(readdirSync(folder)).toEqual(["count"]);
  });
});
