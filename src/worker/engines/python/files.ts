/**
 * The interpreter's files, read once a worker: pyodide's package as text and bytes, and our snapshot, verified.
 * None of it is ever evaluated here: it is data until it is inside an isolate.
 */

import { hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { PyodideTexts } from "../../guest/python/source.ts";
import { SNAPSHOT_SHA256 } from "./digest.ts";
import { type Snapshot, unpack } from "./packing.ts";
import { lowerMemoryMaximum } from "./wasm-memory.ts";

/** 1,088 MiB: the largest limit of a call, and the interpreter itself. */
const MAX_PAGES = 17_408;
const REBUILD = "Rebuild it: npm run snapshot (in an installed package: install sallyport again).";

export interface PythonFiles {
  texts: PyodideTexts;
  wasm: SharedArrayBuffer;
  stdlib: SharedArrayBuffer;
}

/** Into memory that every isolate reads, and through no other. */
function readShared(path: string): SharedArrayBuffer {
  const file = openSync(path, "r");
  try {
    const bytes = new Uint8Array(new SharedArrayBuffer(fstatSync(file).size));
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(file, bytes, at, bytes.length - at, null);
      if (count === 0) throw new Error(`${path} ends too early`);
      at += count;
    }
    return bytes.buffer;
  } finally {
    closeSync(file);
  }
}

export function readPythonFiles(): PythonFiles {
  const folder = dirname(createRequire(import.meta.url).resolve("pyodide/package.json"));
  const text = (name: string): string => readFileSync(join(folder, name), "utf8");
  const wasm = readShared(join(folder, "pyodide.asm.wasm"));
  lowerMemoryMaximum(new Uint8Array(wasm), MAX_PAGES);
  const lock = JSON.stringify({ ...(JSON.parse(text("pyodide-lock.json")) as object), packages: {} });
  return {
    texts: { loader: text("pyodide.js"), glue: text("pyodide.asm.mjs"), lock },
    wasm,
    stdlib: readShared(join(folder, "python_stdlib.zip")),
  };
}

/** The snapshot beside the guest's files, as it was built with this code: anything else is refused. */
export async function readSnapshot(): Promise<Snapshot> {
  const folder = new URL("../../guest/python/built/", import.meta.url);
  let packed: Uint8Array;
  let digest: string;
  try {
    packed = readFileSync(new URL("snapshot.bin", folder));
    digest = SNAPSHOT_SHA256 ?? readFileSync(new URL("snapshot.sha256", folder), "utf8").trim();
  } catch (cause) {
    throw new Error(`The Python snapshot is missing. ${REBUILD}`, { cause });
  }
  const damaged = `The Python snapshot is damaged. ${REBUILD}`;
  if (hash("sha256", packed) !== digest) throw new Error(damaged);
  return unpack(packed).catch((cause: unknown) => {
    throw new Error(damaged, { cause });
  });
}
