/**
 * A file of receipts, one line each, that is only ever appended to. One writer a file.
 * Goes on only where what is there already holds; writes what receipts hold and nothing else.
 */

import { appendFileSync, closeSync, createReadStream, openSync } from "node:fs";
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

const NO_END = "it has no end: it was cut off, or is being written at this moment";
const LINE_FEED = 0x0a;

/** As it was written, byte for byte: a line ends with a line feed and nothing else. */
async function* readLines(path: string): AsyncGenerator<{ text: string; isWhole: boolean }> {
  let held: Buffer[] = [];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      yield { text: Buffer.concat([...held, chunk.subarray(from, end)]).toString(), isWhole: true };
      held = [];
      from = end + 1;
    }
    if (from < chunk.length) held.push(chunk.subarray(from));
  }
  if (held.length > 0) yield { text: Buffer.concat(held).toString(), isWhole: false };
}

/** Reads a chain to its end, or to the first line that does not hold. `head`: a hash to look for. */
export async function verifyReceipts(path: string, key?: ChainKey, head?: string): Promise<ChainReport> {
  const chain = createChain(printJson, key);
  let position: ChainPosition = { count: 0, head: CHAIN_START };
  let found = head === CHAIN_START ? 0 : null;
  let number = 0;
  for await (const { text, isWhole } of readLines(path)) {
    number += 1;
    const next = isWhole ? chain.check(position, text) : { problem: NO_END };
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
      appendFileSync(file, `${next.line}\n`);
      position = next.position;
    },
    close,
    [Symbol.dispose]: close,
  };
}
