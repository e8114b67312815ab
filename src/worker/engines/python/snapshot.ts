/**
 * Makes the snapshot that interpreters are restored from: loads one, runs the guest's wing in it, and packs its memory.
 * Some seconds of work, done once for a version and never while programs run.
 */

import { giveMessages } from "./error-numbers.ts";
import { readGlue, readPythonFiles } from "./files.ts";
import { readGuest } from "./guest.ts";
import { buildSnapshot } from "./isolate.ts";
import { memoryOf, pack } from "./packing.ts";
import { findDataEnd } from "./wasm-module.ts";

/** The interpreter is restored into memory of its first size: a snapshot that has grown beyond does not fit. */
const MAX_BYTES = 31 * 1024 * 1024;

/** @throws Error where the guest's wing fails or needs too much memory */
export async function packSnapshot(): Promise<Uint8Array> {
  const trimmed = readGlue();
  const files = readPythonFiles(trimmed.exports, null);
  const dataEnd = findDataEnd(files.wasm);
  const { bytes, errorNumbersAt } = await buildSnapshot(files, trimmed.glue, readGuest());
  if (bytes.length > MAX_BYTES) {
    throw new Error(`The Python snapshot has ${bytes.length} bytes, more than the ${MAX_BYTES} that fit.`);
  }
  giveMessages(memoryOf(bytes));
  return pack(bytes, { ...trimmed, errorNumbersAt }, dataEnd);
}
