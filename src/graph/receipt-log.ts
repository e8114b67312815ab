/**
 * A file of receipts, one line each, that is only ever appended to. One writer a file.
 * Goes on only where what is there already holds; writes what receipts hold and nothing else.
 */

import { closeSync, createReadStream, openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { SandboxError } from "../errors.ts";
import { CHAIN_START, type ChainKey, type ChainPosition, createChain } from "../policy/receipt-chain.ts";
import { printJson } from "../protocol/json.ts";
import type { Receipt } from "../types.ts";

export interface ReceiptLogOptions {
  /** Operator's secret: with it nobody else can write a chain that holds. Default: a plain hash chain. */
  key?: string | Uint8Array;
}

export interface ReceiptLog extends Disposable {
  /** Appends one line before it returns: for `onReceipt`. */
  readonly onReceipt: (receipt: Receipt) => void;
  /** Lines so far, and the hash of the last one: kept elsewhere, it shows that lines were cut off at the end. */
  readonly position: ChainPosition;
  /** May be called again. */
  close(): void;
}

export interface ChainReport extends ChainPosition {
  /** The first line that does not hold, 1-based, and why. */
  readonly broken: { line: number; problem: string } | null;
  /** Hashes that the caller asked about, with the number of the line that has them. */
  readonly found: number | null;
}

/** Reads a chain to its end, or to the first line that does not hold. `head`: a hash to look for. */
export async function verifyReceipts(path: string, key?: ChainKey, head?: string): Promise<ChainReport> {
  const chain = createChain(printJson, key);
  let position: ChainPosition = { count: 0, head: CHAIN_START };
  let found = head === CHAIN_START ? 0 : null;
  let number = 0;
  const lines = createInterface({ input: createReadStream(path, "utf8"), crlfDelay: 0 });
  for await (const text of lines) {
    number += 1;
    const next = chain.check(position, text);
    if ("problem" in next) return { ...position, found, broken: { line: number, problem: next.problem } };
    position = next;
    if (position.head === head) found = position.count;
  }
  return { ...position, found, broken: null };
}

async function readPosition(path: string, key: ChainKey): Promise<ChainPosition> {
  try {
    const { broken, count, head } = await verifyReceipts(path, key);
    if (broken === null) return { count, head };
    throw new SandboxError(
      "INVALID_OPTIONS",
      `createReceiptLog: line ${broken.line} of the file does not hold: ${broken.problem}. Keep it, and begin another file.`,
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { count: 0, head: CHAIN_START };
    throw error;
  }
}

/**
 * Opens `path` for receipts, or begins it. Give its `onReceipt` to `createCodeExecutionGraph` or `createCodeTools`.
 * @throws SandboxError INVALID_OPTIONS where the file holds something else than a chain that holds
 */
export async function createReceiptLog(path: string, { key }: ReceiptLogOptions = {}): Promise<ReceiptLog> {
  const chain = createChain(printJson, key);
  let position = await readPosition(path, key);
  let file: number | null = openSync(path, "a", 0o600);
  const close = () => {
    if (file !== null) closeSync(file);
    file = null;
  };
  return {
    get position() {
      return position;
    },
    onReceipt(receipt) {
      if (file === null) throw new SandboxError("INVALID_OPTIONS", "The receipt log is closed: open it again.");
      const next = chain.extend(position, receipt, new Date());
      writeSync(file, `${next.line}\n`);
      position = next.position;
    },
    close,
    [Symbol.dispose]: close,
  };
}
