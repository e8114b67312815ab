/**
 * Looks at Python's snapshot before a worker is started that would load it: there, whole, and nobody else's to write.
 * The worker checks its digest again; this is where an operator learns in plain words what is wrong.
 */

import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { SandboxError } from "../errors.ts";

const REMEDY = "Rebuild it with `npm run snapshot` (in an installed package: install sallyport again).";
const WRITABLE_BY_OTHERS = 0o022;

function fault(what: string, cause?: unknown): SandboxError {
  return new SandboxError("ENGINE_UNAVAILABLE", `Python cannot start: ${what}. ${REMEDY}`, { cause });
}

/** Beside the guest's files. @param entry the worker's entry, by which the host knows it */
export function snapshotFolder(entry: string): string {
  return join(dirname(entry), "guest", "python", "built");
}

/** @throws SandboxError ENGINE_UNAVAILABLE */
export function checkPythonSnapshot(entry: string): void {
  const folder = snapshotFolder(entry);
  const path = join(folder, "snapshot.bin");
  let digest: string;
  let found: string;
  try {
    found = hash("sha256", readFileSync(path));
    digest = readFileSync(join(folder, "snapshot.sha256"), "utf8").trim();
  } catch (cause) {
    throw fault(`its snapshot ${path} is missing`, cause);
  }
  if (found !== digest) throw fault(`its snapshot ${path} is damaged`);
  if (process.platform === "win32") return;
  // Whoever may write the code itself may write the snapshot as well.
  const owners = new Set([0, process.getuid?.(), statSync(entry).uid]);
  for (const place of [folder, path]) {
    const { uid, mode } = statSync(place);
    if (!owners.has(uid) || (mode & WRITABLE_BY_OTHERS) !== 0) throw fault(`others may write ${place}`);
  }
}
