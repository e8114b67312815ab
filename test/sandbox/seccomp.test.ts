/**
 * The filter of system calls, run on every number there is by a small machine of our own for the same instructions: what the
 * kernel would answer, for both kinds of processor. That the kernel takes it is seen where a worker starts behind it.
 */

import { describe, expect, it } from "vitest";
import { ALLOWED_CALLS, CHECKED_CALLS } from "../../src/sandbox/seccomp/calls.ts";
import { compileFilter, type Machine } from "../../src/sandbox/seccomp/filter.ts";
import { makeProfile } from "../../src/sandbox/seccomp/profile.ts";

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const AUDIT: Record<Machine, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** What the filter answers to one call. */
function answer(filter: Uint8Array, architecture: number, number: number, args: readonly bigint[] = []): number {
  const program = Buffer.from(filter);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  args.forEach((value, index) => void data.writeBigUInt64LE(value, 16 + 8 * index));
  let word = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const [code, ifTrue, ifFalse] = [program.readUInt16LE(8 * at), program[8 * at + 2] ?? 0, program[8 * at + 3] ?? 0];
    const value = program.readUInt32LE(8 * at + 4);
    if (code === 0x20) word = data.readUInt32LE(value);
    else if (code === 0x06) return value;
    else {
      const isTrue = code === 0x15 ? word === value : code === 0x35 ? word >= value : (word & value) !== 0;
      at += isTrue ? ifTrue : ifFalse;
    }
  }
  throw new Error("the filter ends without an answer");
}

const MACHINES: Machine[] = ["x64", "arm64"];

describe.each(MACHINES)("the filter for %s", (machine) => {
  const filter = compileFilter(machine);
  const ask = (number: number, args: bigint[] = []): number => answer(filter, AUDIT[machine], number, args);
  const numberOf = (name: string): number => CHECKED_CALLS[name]?.[machine] ?? -1;

  it("allows what the table says, and nothing else of a thousand numbers", () => {
    const plain = new Set(Object.values(ALLOWED_CALLS).map((numbers) => numbers[machine]));
    const checked = new Set(Object.values(CHECKED_CALLS).map((numbers) => numbers[machine]));
    for (let number = 0; number < 1000; number++) {
      if (checked.has(number)) continue;
      expect([number, ask(number)]).toEqual([number, plain.has(number) ? ALLOW : ENOSYS]);
    }
  });

  it("lets a thread start, and no process and no namespace", () => {
    const THREAD = 0x3d0f00n;
    expect(ask(numberOf("clone"), [THREAD])).toBe(ALLOW);
    expect(ask(numberOf("clone"), [17n])).toBe(EPERM);
    for (const namespace of [0x10000000n, 0x40000000n, 0x20000000n, 0x20000n, 0x02000000n, 0x80n]) {
      expect(ask(numberOf("clone"), [THREAD | namespace])).toBe(EPERM);
    }
  });

  it("reads a limit and sets none, names a thread and nothing else", () => {
    expect(ask(numberOf("prlimit64"), [0n, 7n, 0n])).toBe(ALLOW);
    for (const pointer of [1n, 1n << 32n]) expect(ask(numberOf("prlimit64"), [0n, 7n, pointer])).toBe(EPERM);
    expect(ask(numberOf("prctl"), [15n])).toBe(ALLOW);
    for (const option of [1n, 22n, 38n, 4n]) expect(ask(numberOf("prctl"), [option])).toBe(EPERM);
    expect(ask(numberOf("ioctl"), [0n, 0x5401n])).toBe(ALLOW);
    expect(ask(numberOf("ioctl"), [0n, 0x5412n])).toBe(EPERM);
  });

  it("ends a process that calls in another architecture's way", () => {
    for (const other of MACHINES.filter((name) => name !== machine)) expect(answer(filter, AUDIT[other], 0)).toBe(KILL);
    expect(answer(filter, 0x40000003, 1)).toBe(KILL);
    if (machine === "x64") expect(ask(0x40000000 + 1)).toBe(ENOSYS);
  });

  it("is short enough for the kernel", () => {
    expect(filter.length / 8).toBeLessThan(4096);
  });
});

describe("the profile for containers", () => {
  it("allows the same calls, and what the runtime needs to look at its own files", () => {
    const { defaultAction, syscalls } = JSON.parse(makeProfile()) as {
      defaultAction: string;
      syscalls: { names: string[]; args?: unknown[] }[];
    };
    expect(defaultAction).toBe("SCMP_ACT_ERRNO");
    const plain = syscalls.filter(({ args }) => args === undefined).flatMap(({ names }) => names);
    expect(plain).toEqual([...Object.keys(ALLOWED_CALLS), "fstatfs", "close_range"]);
    const checked = syscalls.filter(({ args }) => args !== undefined).flatMap(({ names }) => names);
    expect([...new Set(checked)]).toEqual(Object.keys(CHECKED_CALLS));
  });
});
