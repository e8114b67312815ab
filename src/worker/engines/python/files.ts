/**
 * The interpreter's files, read once a worker: pyodide's package as text and bytes, and our snapshot, verified.
 * None of it is ever evaluated here: it is data until it is inside an isolate.
 */

import { hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { SNAPSHOT_SHA256 } from "./digest.ts";
import { translateErrors } from "./error-numbers.ts";
import { type TrimmedGlue, trimGlue } from "./glue.ts";
import { type Snapshot, unpack } from "./packing.ts";
import { keepExports, lowerMemoryMaximum } from "./wasm-module.ts";

/** 1,088 MiB: the largest limit of a call, and the interpreter itself. */
const MAX_PAGES = 17_408;
const REBUILD = "Rebuild it: npm run snapshot (in an installed package: install sallyport again).";

export interface PythonFiles {
  loader: string;
  lock: string;
  /** The interpreter's module. */
  wasm: Uint8Array<ArrayBuffer>;
  stdlib: SharedArrayBuffer;
}

const FOLDER = dirname(createRequire(import.meta.url).resolve("pyodide/package.json"));

const readText = (name: string): string => readFileSync(join(FOLDER, name), "utf8");

function readInto<Kind extends ArrayBuffer | SharedArrayBuffer>(name: string, make: new (bytes: number) => Kind): Kind {
  const file = openSync(join(FOLDER, name), "r");
  try {
    const bytes = new Uint8Array(new make(fstatSync(file).size));
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(file, bytes, at, bytes.length - at, null);
      if (count === 0) throw new Error(`${name} ends too early`);
      at += count;
    }
    return bytes.buffer as Kind;
  } finally {
    closeSync(file);
  }
}

/** The glue that a snapshot is built with, and kept in it. */
export function readGlue(): TrimmedGlue {
  return trimGlue(readText("pyodide.asm.mjs"), readText("pyodide.js"));
}

/**
 * @param exports what of the module's the glue takes
 * @param errorNumbersAt where the interpreter keeps the table of error numbers; null where it is yet to make one
 */
export function readPythonFiles(exports: ReadonlySet<string>, errorNumbersAt: number | null): PythonFiles {
  const wasm = new Uint8Array(readInto("pyodide.asm.wasm", ArrayBuffer));
  try {
    lowerMemoryMaximum(wasm, MAX_PAGES);
    keepExports(wasm, exports);
    if (errorNumbersAt !== null) translateErrors(wasm, errorNumbersAt);
  } catch (cause) {
    throw new Error(`The Python snapshot was built for another pyodide. ${REBUILD}`, { cause });
  }
  return {
    loader: readText("pyodide.js"),
    lock: JSON.stringify({ ...(JSON.parse(readText("pyodide-lock.json")) as object), packages: {} }),
    wasm,
    stdlib: readInto("python_stdlib.zip", SharedArrayBuffer),
  };
}

/** The snapshot beside the guest's files, as it was built with this code. @throws Error where it is missing or anything else */
export function readSnapshot(): Snapshot {
  const folder = new URL("../../guest/python/built/", import.meta.url);
  let packed: Buffer;
  let digest: string;
  try {
    packed = readFileSync(new URL("snapshot.bin", folder));
    digest = SNAPSHOT_SHA256 ?? readFileSync(new URL("snapshot.sha256", folder), "utf8").trim();
  } catch (cause) {
    throw new Error(`The Python snapshot is missing. ${REBUILD}`, { cause });
  }
  const damaged = (cause?: unknown): Error => new Error(`The Python snapshot is damaged. ${REBUILD}`, { cause });
  if (hash("sha256", packed) !== digest) throw damaged();
  try {
    const { contents, ...header } = unpack(packed);
    return {
      ...header,
      contents: contents.catch((cause: unknown) => {
        throw damaged(cause);
      }),
    };
  } catch (cause) {
    throw damaged(cause);
  }
}
