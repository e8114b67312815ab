/**
 * What each language runs on here, as far as it can be said without starting anything: a host that never runs Python pays
 * nothing for being asked. Says of Python only what its files have shown.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Language, Layer } from "../../types.ts";
import { findSnapshot } from "../python-snapshot.ts";

interface Known {
  languages: readonly Language[];
  nodeVersion: string;
  /** The worker's entry. */
  entry: string;
}

/** The package that holds the interpreter, and which CPython that is. */
function readPyodide(): { pyodide: string; cpython: string } {
  const path = createRequire(import.meta.url).resolve("pyodide/package.json");
  const read = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
  const { version } = read(path) as { version: string };
  const { info } = read(join(dirname(path), "pyodide-lock.json")) as { info: { python: string } };
  return { pyodide: version, cpython: info.python };
}

function describePython({ languages, entry }: Known): Layer {
  const name = "python";
  if (!languages.includes(name)) {
    const detail = "not under `hardened`: without V8's compilers there is no WebAssembly";
    return { name, active: false, probed: "stated", detail };
  }
  const found = findSnapshot(entry);
  if ("problem" in found) {
    const { problem: detail, remedy, isBroken } = found;
    return { name, active: false, ...(isBroken && { isBroken }), probed: "outside", detail, remedy };
  }
  const { pyodide, cpython } = readPyodide();
  const size = (found.bytes / 1e6).toFixed(1);
  const snapshot = `snapshot of ${size} MB, verified: sha256 ${found.digest.slice(0, 16)}…`;
  return { name, active: true, probed: "outside", detail: `CPython ${cpython} (pyodide ${pyodide}); ${snapshot}` };
}

export function describeEngines(known: Known): Layer[] {
  const detail = `V8 of Node ${known.nodeVersion}; TypeScript is accepted`;
  return [{ name: "javascript", active: true, probed: "inside", detail }, describePython(known)];
}
