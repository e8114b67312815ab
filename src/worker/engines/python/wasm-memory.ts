/**
 * A WebAssembly module's memory, in its bytes: lowers the maximum, which the module itself can then never exceed, whatever a
 * program reaches, and says how far it is filled when the module starts. Touches nothing else.
 */

const MEMORY_SECTION = 5;
const DATA_SECTION = 11;
const HAS_MAXIMUM = 1;
/** Data for a place that is known: a constant and the end of the expression. */
const ACTIVE = 0;
const I32_CONST = 0x41;
const END = 0x0b;

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

/** A signed number: its sign is in its last byte. */
function readPlace(bytes: Uint8Array, cursor: Cursor): number {
  const from = cursor.at;
  const value = readNumber(bytes, cursor);
  const isNegative = ((bytes[cursor.at - 1] ?? 0) & 64) !== 0;
  return isNegative ? value - 2 ** (7 * (cursor.at - from)) : value;
}

/** The cursor at the beginning of the section's contents; null where the module has none. */
function findSection(bytes: Uint8Array, wanted: number): Cursor | null {
  const cursor: Cursor = { at: 8 };
  while (cursor.at < bytes.length) {
    const section = readNumber(bytes, cursor);
    const size = readNumber(bytes, cursor);
    if (section === wanted) return cursor;
    cursor.at += size;
  }
  return null;
}

/** Sets the maximum to `pages` of 64 KiB, in place and in as many bytes as it had. */
export function lowerMemoryMaximum(bytes: Uint8Array, pages: number): void {
  const cursor = findSection(bytes, MEMORY_SECTION);
  if (cursor !== null && readNumber(bytes, cursor) === 1 && readNumber(bytes, cursor) === HAS_MAXIMUM) {
    const initial = readNumber(bytes, cursor);
    const from = cursor.at;
    const maximum = readNumber(bytes, cursor);
    if (pages >= initial && pages <= maximum) {
      let left = pages;
      for (let at = from; at < cursor.at; at++) {
        bytes[at] = (left & 127) | (at + 1 < cursor.at ? 128 : 0);
        left >>>= 7;
      }
      return;
    }
  }
  throw new Error("pyodide.asm.wasm: no memory of its own with a maximum");
}

/** Where the memory that the module fills when it starts ends, in bytes. @throws Error where that cannot be told */
export function findDataEnd(bytes: Uint8Array): number {
  const cursor = findSection(bytes, DATA_SECTION);
  if (cursor === null) throw new Error("pyodide.asm.wasm: no data");
  let end = 0;
  for (let left = readNumber(bytes, cursor); left > 0; left--) {
    const isActive = readNumber(bytes, cursor) === ACTIVE && bytes[cursor.at++] === I32_CONST;
    const place = readPlace(bytes, cursor);
    if (!isActive || place < 0 || bytes[cursor.at++] !== END) throw new Error("pyodide.asm.wasm: data of another kind");
    const size = readNumber(bytes, cursor);
    cursor.at += size;
    end = Math.max(end, place + size);
  }
  return end;
}
