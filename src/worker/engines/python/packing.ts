/**
 * How a snapshot lies in its file: a line of what is needed first, and compressed behind it the glue and the interpreter's
 * memory, as a module that fills it. Pages of zeros are left out, mostly the stack: new memory is zero already, and a page
 * that is written costs time and room in every interpreter.
 */

import { promisify } from "node:util";
import { constants, zstdCompressSync, zstdDecompress } from "node:zlib";
import type { TrimmedGlue } from "./glue.ts";
import { type Piece, writeFiller } from "./wasm-module.ts";

const LEVEL = 12;
/** Of what the loader's snapshot begins with, in 32-bit words: where the memory follows. */
const MEMORY_AT = 1;
/** Of the kernel: what is written of it is there as a whole. */
const PAGE = 4096;
const ZEROS = Buffer.alloc(PAGE);
const LINE_END = 10;
/** More than any snapshot has: the whole of one comes in one piece, and what is not used of it costs nothing. */
const ROOM = 64 * 1024 * 1024;

interface Header {
  /** What the loader reads of its snapshot, byte by byte. */
  head: number[];
  /** Of the module: what the glue takes. */
  exports: string[];
  /** Where in the memory the table of error numbers lies. */
  errorNumbersAt: number;
  /** Bytes of the glue, before the module. */
  glueBytes: number;
}

/** @param dataEnd below it the module itself puts something when it starts, and zeros count as well */
function findContents(memory: Buffer, dataEnd: number): Piece[] {
  const found: [from: number, to: number][] = [];
  for (let from = 0; from < memory.length; from += PAGE) {
    const to = Math.min(from + PAGE, memory.length);
    if (from >= dataEnd && memory.subarray(from, to).equals(ZEROS.subarray(0, to - from))) continue;
    const last = found.at(-1);
    if (last?.[1] === from) last[1] = to;
    else found.push([from, to]);
  }
  return found.map(([from, to]) => [from, memory.subarray(from, to)]);
}

/** Of `bytes` as the loader makes them: the interpreter's memory, not a copy. */
export function memoryOf(bytes: Uint8Array): Buffer {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return whole.subarray(whole.readUInt32LE(MEMORY_AT * 4));
}

/** What an interpreter is made of beside its memory. */
export interface Made extends TrimmedGlue {
  errorNumbersAt: number;
}

/** `bytes` as the loader makes them, with this glue. */
export function pack(bytes: Uint8Array, { glue, exports, errorNumbersAt }: Made, dataEnd: number): Uint8Array {
  const memory = memoryOf(bytes);
  const filler = writeFiller(findContents(memory, dataEnd));
  const text = Buffer.from(glue);
  const head = [...bytes.subarray(0, bytes.length - memory.length)];
  const header: Header = { head, exports: [...exports], errorNumbersAt, glueBytes: text.length };
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(header)}\n`),
    zstdCompressSync(Buffer.concat([text, filler]), { params }),
  ]);
}

export interface Snapshot {
  head: readonly number[];
  exports: ReadonlySet<string>;
  errorNumbersAt: number;
  /** Unpacked on another thread, beside what else a worker has to read. Rejects where the file is damaged. */
  contents: Promise<SnapshotContents>;
}

interface SnapshotContents {
  glue: string;
  /** The module that fills the memory. Nobody else needs the buffer that it lies in. */
  filler: Uint8Array<ArrayBuffer>;
}

/** What `pack` made; its digest has been checked. @throws Error where it has no header */
export function unpack(packed: Buffer): Snapshot {
  const lineEnd = packed.indexOf(LINE_END);
  const { head, exports, errorNumbersAt, glueBytes } = JSON.parse(packed.toString("utf8", 0, lineEnd)) as Header;
  const decompress = async (): Promise<SnapshotContents> => {
    const unpacked = await promisify(zstdDecompress)(packed.subarray(lineEnd + 1), { chunkSize: ROOM });
    const { buffer, byteOffset } = unpacked;
    return {
      glue: unpacked.toString("utf8", 0, glueBytes),
      filler: new Uint8Array(buffer as ArrayBuffer, byteOffset + glueBytes, unpacked.length - glueBytes),
    };
  };
  return { head, exports: new Set(exports), errorNumbersAt, contents: decompress() };
}
