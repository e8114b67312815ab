// One set-up of a folder at a time, across processes: a directory in the system's temporary folder is the lock.
// It cannot lie in node_modules, which `npm ci` removes. The lock of a process that is gone is taken over.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const POLL_MS = 200;
const PATIENCE_MS = 15 * 60_000;

const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);

function tryMakeDirectory(path) {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** The owner's process id, or null while the owner has not yet written it. */
function readOwner(path) {
  try {
    return Number(readFileSync(join(path, "pid"), "utf8")) || null;
  } catch {
    return null;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Renaming is atomic, so that only one of several waiting processes removes a dead owner's lock. */
function removeAbandoned(path) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  rmSync(aside, { recursive: true, force: true });
}

export function withLock(folder, say, work) {
  const path = join(tmpdir(), `sallyport-setup-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`);
  const until = Date.now() + PATIENCE_MS;
  let silentPolls = 0;
  for (let told = false; !tryMakeDirectory(path); pause()) {
    const owner = readOwner(path);
    silentPolls = owner === null ? silentPolls + 1 : 0;
    if (owner === null ? silentPolls > 25 : !isAlive(owner)) {
      removeAbandoned(path);
      continue;
    }
    if (!told) say("waiting for another set-up of this folder …");
    told = true;
    if (Date.now() > until) throw new Error(`process ${owner} holds ${path}; end it or remove that folder.`);
  }
  try {
    writeFileSync(join(path, "pid"), String(process.pid));
    work();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
