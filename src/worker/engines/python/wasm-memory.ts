/**
 * Lowers the maximum of a WebAssembly module's memory, in its bytes: what the module itself can never exceed, whatever a
 * program reaches. Reads the section that defines the memory and touches nothing else.
 */

const MEMORY_SECTION = 5;
const HAS_MAXIMUM = 1;

interface Cursor {
  at: number;
}

function readNumber(bytes: Uint8Array, cursor: Cursor): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[cursor.at++];
    if (byte === undefined || shift > 28) throw new Error("pyodide.asm.wasm: a number without an end");
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return value;
  }
}

/** Sets the maximum to `pages` of 64 KiB, in place and in as many bytes as it had. */
export function lowerMemoryMaximum(bytes: Uint8Array, pages: number): void {
  const cursor: Cursor = { at: 8 };
  while (cursor.at < bytes.length) {
    const section = readNumber(bytes, cursor);
    const size = readNumber(bytes, cursor);
    if (section !== MEMORY_SECTION) {
      cursor.at += size;
      continue;
    }
    const count = readNumber(bytes, cursor);
    const flags = readNumber(bytes, cursor);
    if (count !== 1 || flags !== HAS_MAXIMUM) break;
    const initial = readNumber(bytes, cursor);
    const from = cursor.at;
    const maximum = readNumber(bytes, cursor);
    if (pages < initial || pages > maximum) break;
    let left = pages;
    for (let at = from; at < cursor.at; at++) {
      bytes[at] = (left & 127) | (at + 1 < cursor.at ? 128 : 0);
      left >>>= 7;
    }
    return;
  }
  throw new Error("pyodide.asm.wasm: no memory of its own with a maximum");
}
