/**
 * The operating system's errors by Linux's numbers: the interpreter's C code has WebAssembly's own (44 where Linux has 2).
 * The one function that makes exceptions of them is made to read a table, which the guest keeps in memory, and the C
 * library's messages are put under the new numbers. C code among itself keeps its own.
 */

/**
 * In PyErr_SetFromErrnoWithFilenameObjects: `if (i == EINTR && PyErr_CheckSignals())`, as far as the call. There are no
 * signals here, and so there is room.
 */
const ASKS_FOR_SIGNALS = [0x20, 3, 0x41, 27, 0x46, 0x04, 0x40, 0x10];
/** The function that is called, and what follows: `return NULL`, the end of the block. */
const CALLED_BYTES = 2;
const ENDS = [0x0d, 3, 0x0b];
const LENGTH = ASKS_FOR_SIGNALS.length + CALLED_BYTES + ENDS.length;
const NO_OPERATION = 0x01;

/** musl's texts, one after the other; before them, for each number, where its own begins. */
const FIRST_MESSAGES = Buffer.from("Success\0Illegal byte sequence\0Domain error\0");
const MESSAGES = 154;

function findOnce(bytes: Buffer, wanted: Buffer, what: string): number {
  const at = bytes.indexOf(wanted);
  if (at === -1 || bytes.indexOf(wanted, at + 1) !== -1) throw new Error(`pyodide.asm.wasm: ${what} is not there once`);
  return at;
}

/**
 * Lets exceptions have the numbers of the table at `tableAt`, a byte for each, in place.
 * @throws Error where the module is another
 */
export function translateErrors(module: Uint8Array, tableAt: number): void {
  const bytes = Buffer.from(module.buffer, module.byteOffset, module.length);
  const at = findOnce(bytes, Buffer.from(ASKS_FOR_SIGNALS), "the question for signals");
  if (!bytes.subarray(at + LENGTH - ENDS.length, at + LENGTH).equals(Buffer.from(ENDS))) {
    throw new Error("pyodide.asm.wasm: the question for signals is another");
  }
  // i = table[i]
  const place = [0, 7, 14, 21, 28].map((bits) => (Math.floor(tableAt / 2 ** bits) & 127) | (bits < 28 ? 128 : 0));
  const translation = [0x20, 3, 0x2d, 0, ...place, 0x21, 3];
  bytes.fill(NO_OPERATION, at, at + LENGTH);
  bytes.set(translation, at);
}

/** Puts the C library's messages under the numbers of the table at `tableAt`, in place. @throws Error where they lie elsewhere */
export function renumberMessages(memory: Buffer, tableAt: number): void {
  const texts = findOnce(memory, FIRST_MESSAGES, "the first of the messages");
  const numbers = Array.from({ length: MESSAGES }, (_, number) => number);
  const placeOf = (number: number): number => texts + (number - MESSAGES) * 2;
  const places = numbers.map((number) => memory.readUInt16LE(placeOf(number)));
  memory.fill(0, placeOf(0), texts);
  for (const number of numbers) {
    const place = places[number] ?? 0;
    if (place > 0) memory.writeUInt16LE(place, placeOf(memory.readUInt8(tableAt + number)));
  }
}
