/**
 * Manifests of programs, remembered within the process so that deciding again at the execute edge costs nothing.
 * Host memory, never state: what a caller could patch is no manifest. Bounded; forgets the one used longest ago.
 */

import { createHash } from "node:crypto";
import type { Language, Manifest, Sandbox } from "../types.ts";

const MAX_MANIFESTS = 256;

export type ReadManifest = (program: { language: Language; source: string }, signal?: AbortSignal) => Promise<Manifest>;

export function createManifestReader(sandbox: Pick<Sandbox, "inspect">): ReadManifest {
  const known = new Map<string, Manifest>();
  return async ({ language, source }, signal) => {
    const key = `${language} ${createHash("sha256").update(source, "utf16le").digest("base64")}`;
    const found = known.get(key);
    const manifest =
      found ?? (await sandbox.inspect({ language, source, ...(signal === undefined ? {} : { signal }) }));
    known.delete(key);
    if (manifest.complete || manifest.sha256 !== "") known.set(key, manifest);
    const oldest = known.size > MAX_MANIFESTS ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    return manifest;
  };
}
