/**
 * Compiles the table of system calls to a seccomp filter: the classic BPF program that bubblewrap hands to the kernel.
 * An allowlist. Must not know what a worker is.
 */

import { ALLOWED_CALLS, type ArgumentCheck, CHECKED_CALLS } from "./calls.ts";

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

// Of linux/bpf_common.h: a 32-bit word at an absolute offset of the call's record; jumps; an answer.
const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

// Of linux/seccomp.h: struct seccomp_data, and what a filter may answer.
const CALL_NUMBER = 0;
const ARCHITECTURE = 4;
const ARGUMENTS = 16;
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const ERRNO = 0x00050000;
const EPERM = 1;
const ENOSYS = 38;

/** Of linux/audit.h. On x64 the numbers from `foreignFrom` on are those of another calling convention (x32). */
const MACHINES = {
  x64: { audit: 0xc000003e, foreignFrom: 0x40000000 },
  arm64: { audit: 0xc00000b7, foreignFrom: null },
} as const;

export type Machine = keyof typeof MACHINES;

export function isMachine(name: string): name is Machine {
  return Object.hasOwn(MACHINES, name);
}

const load = (offset: number): Instruction => [LOAD, 0, 0, offset];
const answer = (value: number): Instruction => [RETURN, 0, 0, value];
/** Goes on where the word equals `value`, else skips `skipped` instructions. */
const unlessEqual = (value: number, skipped: number): Instruction => [JUMP_EQUAL, 0, skipped, value];

function compileCheck(check: ArgumentCheck): Instruction[] {
  const low = load(ARGUMENTS + 8 * check.argument);
  const refuse = answer(ERRNO | EPERM);
  if ("oneOf" in check) {
    return [low, ...check.oneOf.flatMap((value) => [unlessEqual(value, 1), answer(ALLOW)]), refuse];
  }
  if ("has" in check) {
    return [low, [JUMP_ANY_BIT, 2, 0, check.lacks], [JUMP_ANY_BIT, 0, 1, check.has], answer(ALLOW), refuse];
  }
  const high = load(ARGUMENTS + 8 * check.argument + 4);
  return [low, unlessEqual(0, 3), high, unlessEqual(0, 1), answer(ALLOW), refuse];
}

function encode(instructions: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(8 * instructions.length);
  instructions.forEach(([code, ifTrue, ifFalse, value], index) => {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(ifTrue, 8 * index + 2);
    bytes.writeUInt8(ifFalse, 8 * index + 3);
    bytes.writeUInt32LE(value >>> 0, 8 * index + 4);
  });
  return bytes;
}

/** The filter for one kind of processor, as the kernel reads it. A call that is not in the table is as if it did not exist. */
export function compileFilter(machine: Machine): Uint8Array {
  const { audit, foreignFrom } = MACHINES[machine];
  const plain = Object.values(ALLOWED_CALLS).flatMap((numbers) => numbers[machine] ?? []);
  const checked = Object.values(CHECKED_CALLS).flatMap(({ check, ...numbers }) => {
    const number = numbers[machine];
    if (number === null) return [];
    const body = compileCheck(check);
    return [unlessEqual(number, body.length), ...body];
  });
  return encode([
    load(ARCHITECTURE),
    [JUMP_EQUAL, 1, 0, audit],
    answer(KILL_PROCESS),
    load(CALL_NUMBER),
    ...(foreignFrom === null
      ? []
      : ([[JUMP_AT_LEAST, 0, 1, foreignFrom], answer(ERRNO | ENOSYS)] satisfies Instruction[])),
    ...plain.flatMap((number) => [unlessEqual(number, 1), answer(ALLOW)]),
    // A checked call loads its argument over the number, and always answers: what follows still holds the number.
    ...checked,
    answer(ERRNO | ENOSYS),
  ]);
}
