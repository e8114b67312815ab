/**
 * How a snapshot lies in its file: what the loader reads first, and of the interpreter's memory all but long stretches of
 * zeros, mostly the stack. New memory is zero already, and a page that is written costs time and room in every interpreter.
 */

import { promisify } from "node:util";
import { constants, zstdCompressSync, zstdDecompress } from "node:zlib";
import type { SnapshotParts } from "../../guest/python/shell.ts";

const LEVEL = 12;
/** Of what the loader's snapshot begins with, in 32-bit words: where the memory follows. */
const MEMORY_AT = 1;
/** The loader reads its part as 32-bit words, and copying is quickest from aligned places. */
const ALIGNMENT = 16;
const BLOCK = 64 * 1024;
const ZEROS = Buffer.alloc(BLOCK);
/** More than any snapshot has: the whole of one comes in one piece, and what is not used of it costs nothing. */
const ROOM = 64 * 1024 * 1024;

type Range = [from: number, to: number];

const align = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** @param dataEnd below it the module itself puts something when it starts, and zeros count as well */
function findContents(memory: Buffer, dataEnd: number): Range[] {
  const found: Range[] = [];
  for (let from = 0; from < memory.length; from += BLOCK) {
    const to = Math.min(from + BLOCK, memory.length);
    if (from >= dataEnd && memory.subarray(from, to).equals(ZEROS.subarray(0, to - from))) continue;
    const last = found.at(-1);
    if (last?.[1] === from) last[1] = to;
    else found.push([from, to]);
  }
  return found;
}

/** `bytes` as the loader makes them. */
export function pack(bytes: Uint8Array, dataEnd: number): Uint8Array {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const start = whole.readUInt32LE(MEMORY_AT * 4);
  const memory = whole.subarray(start);
  const contents = findContents(memory, dataEnd);
  // As wide as any list of places: their own length must not move them.
  const table = Buffer.alloc(align(1000 + 100 * contents.length), " ");
  let at = table.length + align(start);
  const pieces = contents.map(([from, to]): SnapshotParts["pieces"][number] => {
    at += to - from;
    return [at - (to - from), from, to];
  });
  const parts: SnapshotParts = { head: [table.length, start], pieces };
  table.write(`${JSON.stringify(parts)}\n`);
  const head = Buffer.alloc(align(start));
  whole.copy(head, 0, 0, start);
  const packed = [table, head, ...contents.map(([from, to]) => memory.subarray(from, to))];
  return zstdCompressSync(Buffer.concat(packed), { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
}

export interface Snapshot {
  /** Shared, so that every isolate reads the same bytes. */
  bytes: SharedArrayBuffer;
  parts: SnapshotParts;
}

/** What `pack` made; its digest has been checked. On another thread, beside what else a worker has to read. */
export async function unpack(packed: Uint8Array): Promise<Snapshot> {
  const unpacked = await promisify(zstdDecompress)(packed, { chunkSize: ROOM });
  const bytes = new SharedArrayBuffer(unpacked.length);
  new Uint8Array(bytes).set(unpacked);
  const parts = JSON.parse(unpacked.toString("utf8", 0, unpacked.indexOf("\n"))) as SnapshotParts;
  // Given back now: a worker that rests collects nothing.
  unpacked.buffer.transfer(0);
  return { bytes, parts };
}
