/**
 * Receipts as lines that hold on to each other: each has the hash of the one before, so that none can be taken out,
 * changed or moved unseen. Pure. With a key nobody else can write a chain; lines cut off at the end show only by the head.
 */

import { createHash, createHmac } from "node:crypto";
import type { Receipt } from "../types.ts";

/** What stands before the first line. */
export const CHAIN_START = "0".repeat(64);

export interface ChainPosition {
  /** Lines so far. */
  readonly count: number;
  /** Hash of the last line. */
  readonly head: string;
}

export type ChainKey = string | Uint8Array | undefined;

interface ChainLine {
  v: 1;
  n: number;
  at: string;
  receipt: Receipt;
  previous: string;
}

type Print = (value: unknown) => string;

function hashOf(line: ChainLine, print: Print, key: ChainKey): string {
  const { v, n, at, receipt, previous } = line;
  const text = print({ v, n, at, receipt, previous });
  return key === undefined
    ? createHash("sha256").update(text).digest("hex")
    : createHmac("sha256", key).update(text).digest("hex");
}

/** `print` makes one line of JSON of a value; the same has to be used for writing and for checking. */
export function createChain(print: Print, key?: ChainKey) {
  return {
    /** The next line, and where the chain is behind it. */
    extend(position: ChainPosition, receipt: Receipt, at: Date): { line: string; position: ChainPosition } {
      const n = position.count + 1;
      const body: ChainLine = { v: 1, n, at: at.toISOString(), receipt, previous: position.head };
      const hash = hashOf(body, print, key);
      return { line: print({ ...body, hash }), position: { count: n, head: hash } };
    },

    /** Where the chain is behind `text`, or what is wrong with it. */
    check(position: ChainPosition, text: string): ChainPosition | { problem: string } {
      let parsed: unknown;
      try {
        parsed = JSON.parse(text);
      } catch {
        return { problem: "it is no JSON: it was changed, or cut off while it was written" };
      }
      if (typeof parsed !== "object" || parsed === null) return { problem: "it is no receipt" };
      const line = parsed as ChainLine & { hash?: unknown };
      if (line.previous !== position.head || line.n !== position.count + 1) {
        const expected = `number ${position.count + 1} was expected, this says ${String(line.n).slice(0, 20)}`;
        return { problem: `it does not follow the line before: one was removed, added or moved (${expected})` };
      }
      const hash = hashOf(line, print, key);
      // Printed again, so that what the hash does not cover cannot be there: another order, another key.
      const { v, n, at, receipt, previous } = line;
      if (line.hash !== hash || print({ v, n, at, receipt, previous, hash }) !== text) {
        return { problem: "its hash does not fit: it was changed, or another key is needed" };
      }
      return { count: n, head: hash };
    },
  };
}
