/**
 * Makes the snapshot that interpreters are restored from: loads one, runs the guest's wing in it, and packs its memory.
 * Some seconds of work, done once for a version and never while programs run.
 */

import { constants, zstdCompressSync } from "node:zlib";
import { readGuest } from "./guest.ts";
import { buildSnapshot } from "./isolate.ts";

/** The interpreter is restored into memory of its first size: a snapshot that has grown beyond does not fit. */
const MAX_BYTES = 31 * 1024 * 1024;
const LEVEL = 12;

/** @throws Error where the guest's wing fails or needs too much memory */
export function packSnapshot(): Uint8Array {
  const bytes = buildSnapshot(readGuest());
  if (bytes.length > MAX_BYTES) {
    throw new Error(`The Python snapshot has ${bytes.length} bytes, more than the ${MAX_BYTES} that fit.`);
  }
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
}
