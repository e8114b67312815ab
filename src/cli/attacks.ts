/**
 * The attacks that `doctor --attacks` tries on the machine that it runs on, as data: what guest code tries, and how each has
 * to end. What a worker tries that has been taken over is in the worker's own prober.
 */

import type { CallLimits, Status } from "../types.ts";

export interface GuestAttack {
  readonly title: string;
  readonly source: string;
  readonly limits?: Partial<CallLimits>;
  /** How it has to end. */
  readonly ends: readonly Status[];
  /** The exception that it has to be, where that tells a refusal from a fault of the attack's own. */
  readonly error?: string;
  readonly truncated?: true;
  /** What it must have come to, where it ends well. */
  readonly result?: unknown;
}

const SHORT = { timeoutMs: 300 };

export const GUEST_ATTACKS: readonly GuestAttack[] = [
  {
    title: "reads the environment",
    source: "return process.env",
    ends: ["error"],
    error: "ReferenceError",
  },
  {
    title: "climbs out through a constructor",
    source: 'return this.constructor.constructor("return typeof process + typeof require")()',
    ends: ["ok"],
    result: "undefinedundefined",
  },
  {
    title: "loads a module",
    source: 'return (await import("node:fs")).readFileSync("/etc/passwd", "utf8")',
    ends: ["error"],
    error: "TypeError",
  },
  {
    title: "connects to the network",
    source: 'return await fetch("http://127.0.0.1/")',
    ends: ["error"],
    error: "ReferenceError",
  },
  { title: "never ends", source: "for (;;);", limits: SHORT, ends: ["timeout"] },
  {
    title: "never lets its promises end",
    source: "const again = () => Promise.resolve().then(again); await again()",
    limits: SHORT,
    ends: ["timeout"],
  },
  {
    title: "hides in a built-in that nothing interrupts",
    source: "[].reverse.call({ length: 2 ** 53 - 1 })",
    limits: SHORT,
    ends: ["timeout"],
  },
  {
    title: "takes all memory",
    source: "const held = []; for (;;) held.push(new Array(1e5).fill(held.length))",
    limits: { memoryMb: 32, timeoutMs: 5000 },
    ends: ["memory_limit"],
  },
  {
    title: "takes memory outside of the heap",
    source: "const held = []; for (;;) held.push(new Uint8Array(1 << 24).fill(1))",
    limits: { memoryMb: 32, timeoutMs: 5000 },
    ends: ["memory_limit", "error"],
  },
  {
    title: "floods the output",
    source: 'for (;;) console.log("x".repeat(1000))',
    limits: SHORT,
    ends: ["timeout"],
    truncated: true,
  },
  {
    title: "throws what cannot be read",
    source: "throw { get message() { for (;;); }, get name() { for (;;); } }",
    limits: SHORT,
    ends: ["error", "timeout"],
  },
  {
    title: "forges a success",
    source: 'throw Object.assign(new Error("I am done"), { ok: true, status: "ok", result: 42 })',
    ends: ["error"],
    error: "Error",
  },
  {
    title: "poisons what comes after it",
    source: "Object.prototype.result = 1; Array.prototype.map = () => 0; globalThis.left = 1; return 1",
    ends: ["ok"],
    result: 1,
  },
  {
    title: "looks for what was left behind",
    source: "return [typeof left, ({}).result === undefined, [1].map((n) => n + 1)[0]]",
    ends: ["ok"],
    result: ["undefined", true, 2],
  },
];
