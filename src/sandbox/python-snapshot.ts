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

/** Beside the guest's files. @param entry the worker's entry, by which the host knows it */
export function snapshotFolder(entry: string): string {
  return join(dirname(entry), "guest", "python", "built");
}

interface Unusable {
  problem: string;
  /** It is there, and must not be used; else it is not there at all. */
  isBroken: boolean;
  remedy: string;
  cause?: unknown;
}

/** The snapshot as it lies there, verified; or what keeps Python from it, and what to do. */
export function findSnapshot(entry: string): { digest: string; bytes: number } | Unusable {
  const folder = snapshotFolder(entry);
  const path = join(folder, "snapshot.bin");
  let packed: Buffer;
  let digest: string;
  try {
    packed = readFileSync(path);
    digest = readFileSync(join(folder, "snapshot.sha256"), "utf8").trim();
  } catch (cause) {
    return { problem: `its snapshot ${path} is missing`, isBroken: false, remedy: REMEDY, cause };
  }
  if (hash("sha256", packed) !== digest)
    return { problem: `its snapshot ${path} is damaged`, isBroken: true, remedy: REMEDY };
  if (process.platform !== "win32") {
    // Whoever may write the code itself may write the snapshot as well.
    const owners = new Set([0, process.getuid?.(), statSync(entry).uid]);
    for (const place of [folder, path]) {
      const { uid, mode } = statSync(place);
      if (!owners.has(uid) || (mode & WRITABLE_BY_OTHERS) !== 0)
        return { problem: `others may write ${place}`, isBroken: true, remedy: REMEDY };
    }
  }
  return { digest, bytes: packed.length };
}

/** @throws SandboxError ENGINE_UNAVAILABLE */
export function checkPythonSnapshot(entry: string): void {
  const found = findSnapshot(entry);
  if (!("problem" in found)) return;
  const { problem, remedy, cause } = found;
  throw new SandboxError("ENGINE_UNAVAILABLE", `Python cannot start: ${problem}. ${remedy}`, { cause });
}
