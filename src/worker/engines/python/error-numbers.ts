/**
 * The operating system's errors by Linux's numbers: the interpreter's C code has WebAssembly's own (44 where Linux has 2).
 * The one function that makes exceptions of them is made to read a table, which the guest keeps in memory, and Linux's
 * messages take the place of the C library's. C code among itself keeps its own numbers.
 */

import { LINUX_MESSAGES } from "./linux-messages.ts";

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

/**
 * Puts Linux's messages, under Linux's numbers, in the place of the C library's own.
 * @throws Error where these lie elsewhere, or there is too little room
 */
export function giveMessages(memory: Buffer): void {
  const texts = findOnce(memory, FIRST_MESSAGES, "the first of the messages");
  const placeOf = (number: number): number => texts + (number - MESSAGES) * 2;
  const places = Array.from({ length: MESSAGES }, (_, number) => memory.readUInt16LE(placeOf(number)));
  const end = memory.indexOf(0, texts + Math.max(...places)) + 1;
  // The first is that of 0; a number without a message has its place, and is told to be unknown.
  let at = memory.indexOf(0, texts) + 1;
  memory.fill(0, placeOf(0), texts);
  memory.fill(0, at, end);
  for (const [number, message] of LINUX_MESSAGES) {
    if (at + message.length >= end) throw new Error("pyodide.asm.wasm: too little room for the messages");
    memory.writeUInt16LE(at - texts, placeOf(number));
    at += memory.write(message, at, "latin1") + 1;
  }
}
