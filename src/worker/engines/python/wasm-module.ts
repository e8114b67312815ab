/**
 * WebAssembly modules as bytes. Of the interpreter's: lowers the maximum of its memory, which it can then never exceed,
 * whatever a program reaches; takes out what nobody calls; says how far its memory is filled when it starts. And writes one
 * that does nothing but fill another's memory.
 */

const CUSTOM_SECTION = 0;
const IMPORT_SECTION = 2;
const MEMORY_SECTION = 5;
const EXPORT_SECTION = 7;
const DATA_SECTION = 11;
const FUNCTION = 0;
const MEMORY = 2;
const GLOBAL = 3;
const HAS_MAXIMUM = 1;
/** Data for a place that is known: a constant and the end of the expression. */
const ACTIVE = 0;
const I32_CONST = 0x41;
const END = 0x0b;
const MAGIC = [0, 97, 115, 109, 1, 0, 0, 0];
const PAGE = 65_536;
/** As many pages as a memory can have. */
const ALL_PAGES = 65_536;
/** Bytes that hold any number of 32 bits. */
const WIDEST = 5;

interface Cursor {
  at: number;
}

interface Section extends Cursor {
  /** Where its size stands, before its contents. */
  sizeAt: number;
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

/** In exactly `width` bytes. A place below 2 GiB in the widest is the same number with a sign. */
function writeNumber(value: number, width = WIDEST): number[] {
  return Array.from(
    { length: width },
    (_, at) => (Math.floor(value / 2 ** (7 * at)) & 127) | (at + 1 < width ? 128 : 0),
  );
}

/** The cursor at the beginning of the section's contents; null where the module has none. */
function findSection(bytes: Uint8Array, wanted: number): Section | null {
  const cursor: Cursor = { at: MAGIC.length };
  while (cursor.at < bytes.length) {
    const section = readNumber(bytes, cursor);
    const sizeAt = cursor.at;
    const size = readNumber(bytes, cursor);
    if (section === wanted) return { at: cursor.at, sizeAt };
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
      bytes.set(writeNumber(pages, cursor.at - from), from);
      return;
    }
  }
  throw new Error("pyodide.asm.wasm: no memory of its own with a maximum");
}

/**
 * Offers no function and no global but those of these names, in place: what is left of the section's room becomes a section
 * that nobody reads. @throws Error where one of them is not there
 */
export function keepExports(bytes: Uint8Array, names: ReadonlySet<string>): void {
  const cursor = findSection(bytes, EXPORT_SECTION);
  if (cursor === null) throw new Error("pyodide.asm.wasm: no exports");
  const { at: from, sizeAt } = cursor;
  const width = from - sizeAt;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const missing = new Set(names);
  const kept: Uint8Array[] = [];
  for (let left = readNumber(bytes, cursor); left > 0; left--) {
    const entry = cursor.at;
    const length = readNumber(bytes, cursor);
    const name = text.toString("latin1", cursor.at, cursor.at + length);
    cursor.at += length;
    const kind = bytes[cursor.at++];
    readNumber(bytes, cursor);
    const isKept = missing.delete(name) || (kind !== FUNCTION && kind !== GLOBAL);
    if (isKept) kept.push(bytes.slice(entry, cursor.at));
  }
  if (missing.size > 0) throw new Error(`pyodide.asm.wasm: no export ${[...missing].join(", ")}`);
  const contents = Buffer.concat([Buffer.from(writeNumber(kept.length)), ...kept]);
  const rest = from + contents.length;
  // The section that fills the rest: its number, its size, and a name of no letters.
  const filling = cursor.at - rest - 1 - width;
  if (filling < 1) throw new Error("pyodide.asm.wasm: too few exports to take any out");
  bytes.set(writeNumber(contents.length, width), sizeAt);
  bytes.set(contents, from);
  bytes.set([CUSTOM_SECTION, ...writeNumber(filling, width)], rest);
  bytes.fill(0, rest + 1 + width, cursor.at);
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

/** What of a memory is put where, in bytes; below 2 GiB. */
export type Piece = readonly [place: number, contents: Uint8Array];

/** A module that imports the memory `m.m` and, when it is started, puts each piece in its place. */
export function writeFiller(pieces: readonly Piece[]): Uint8Array {
  const end = Math.max(0, ...pieces.map(([place, contents]) => place + contents.length));
  const name = [1, 109];
  const memory = [
    ...name,
    ...name,
    MEMORY,
    HAS_MAXIMUM,
    ...writeNumber(Math.ceil(end / PAGE)),
    ...writeNumber(ALL_PAGES),
  ];
  const data = pieces.flatMap(([place, contents]) => [
    Buffer.from([ACTIVE, I32_CONST, ...writeNumber(place), END, ...writeNumber(contents.length)]),
    contents,
  ]);
  return Buffer.concat([
    Buffer.from(MAGIC),
    ...section(IMPORT_SECTION, [Buffer.from([1, ...memory])]),
    ...section(DATA_SECTION, [Buffer.from(writeNumber(pieces.length)), ...data]),
  ]);
}

function section(id: number, contents: readonly Uint8Array[]): Uint8Array[] {
  const size = contents.reduce((sum, { length }) => sum + length, 0);
  return [Buffer.from([id, ...writeNumber(size)]), ...contents];
}
