/**
 * Receipts in a file: a chain that shows each line that was changed, removed, added or moved, and goes on after a restart.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReceiptLog, verifyReceipts } from "../../src/graph/receipt-log.ts";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import type { Receipt } from "../../src/types.ts";
import { ai, call, createListener, human } from "./rig.ts";

const folder = mkdtempSync(join(tmpdir(), "sallyport-receipts-"));
let rig: Awaited<ReturnType<typeof createListener>>;
beforeAll(async () => {
  rig = await createListener();
});
afterAll(async () => {
  await rig?.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = () => join(folder, `${crypto.randomUUID()}.jsonl`);

function receiptOf(callId: string): Receipt {
  return {
    callId,
    tool: "run_javascript_sandboxed",
    language: "javascript",
    turn: 1,
    sourceSha256: null,
    engineSha256: null,
    policy: "standard",
    decision: "allow",
    wouldBe: null,
    rules: ["allow"],
    approval: null,
    status: "ok",
    usage: null,
    layers: [],
  };
}

async function writeFive(key?: string): Promise<string> {
  const path = file();
  using log = await createReceiptLog(path, key === undefined ? {} : { key });
  for (const id of ["a", "b", "c", "d", "e"]) log.onReceipt(receiptOf(id));
  return path;
}

const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");

describe("a receipt log", () => {
  it("takes a graph's receipts, one line each, and holds", async () => {
    const path = file();
    using log = await createReceiptLog(path);
    const graph = createCodeExecutionGraph({ sandbox: rig.sandbox, onReceipt: log.onReceipt });
    await graph.invoke({ messages: [human(), ai(call("a", "1"), call("b", "eval('1')"))] });
    expect(linesOf(path).map((line) => (JSON.parse(line) as { receipt: Receipt }).receipt)).toMatchObject([
      { callId: "a", status: "ok" },
      { callId: "b", status: "denied", rules: ["dynamic-code", "imports-javascript"] },
    ]);
    expect(await verifyReceipts(path)).toMatchObject({ count: 2, head: log.position.head, broken: null });
  });

  it("goes on where it ended", async () => {
    const path = await writeFive();
    using log = await createReceiptLog(path);
    log.onReceipt(receiptOf("f"));
    expect(await verifyReceipts(path)).toMatchObject({ count: 6, broken: null });
  });

  it("does not go on behind a line without an end, nor behind one that ends in another way", async () => {
    const path = await writeFive();
    const whole = readFileSync(path, "utf8");
    for (const [text, line] of [
      [whole.trimEnd(), 5],
      [whole.replaceAll("\n", "\r\n"), 1],
    ] as const) {
      writeFileSync(path, text);
      expect((await verifyReceipts(path)).broken).toMatchObject({ line });
      await expect(createReceiptLog(path)).rejects.toThrow(`line ${line} `);
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  it("does not go on behind a line that does not hold, and takes nothing once it is closed", async () => {
    const path = await writeFive();
    writeFileSync(path, `${linesOf(path).join("\n")}\n{"half`);
    await expect(createReceiptLog(path)).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
      message: expect.stringContaining("line 6"),
    });
    const log = await createReceiptLog(file());
    log.close();
    log.close();
    expect(() => log.onReceipt(receiptOf("a"))).toThrow(/closed/);
  });
});

describe("verifying", () => {
  const change = (lines: string[], index: number, from: string, to: string) =>
    lines.with(index, (lines[index] ?? "").replace(from, to));
  const FORGERIES: [string, number, (lines: string[]) => string[]][] = [
    ["a changed word", 3, (lines) => change(lines, 2, '"standard"', '"lenient!"')],
    ["a changed time", 2, (lines) => change(lines, 1, '"at":"2', '"at":"3')],
    ["a further key", 3, (lines) => change(lines, 2, '{"v":1', '{"x":1,"v":1')],
    ["a space", 4, (lines) => change(lines, 3, '{"v":1', '{ "v":1')],
    ["a removed first line", 1, (lines) => lines.slice(1)],
    ["a removed line", 3, (lines) => lines.toSpliced(2, 1)],
    ["two lines in each other's place", 2, (lines) => lines.with(1, lines[2] ?? "").with(2, lines[1] ?? "")],
    ["a line twice", 3, (lines) => lines.toSpliced(2, 0, lines[1] ?? "")],
    ["an empty line", 3, (lines) => lines.toSpliced(2, 0, "")],
    ["a line that is no receipt", 3, (lines) => lines.with(2, "null")],
  ];

  it.each(FORGERIES)("finds %s in line %d", async (_title, line, forge) => {
    const path = await writeFive();
    writeFileSync(path, `${forge(linesOf(path)).join("\n")}\n`);
    expect((await verifyReceipts(path)).broken).toMatchObject({ line });
  });

  it("finds every single byte that was changed", async () => {
    const path = await writeFive();
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at += 37) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(path, changed);
      expect((await verifyReceipts(path)).broken, `byte ${at}`).not.toBe(null);
    }
  });

  it("knows of lines that were cut off at the end by the head alone", async () => {
    const path = await writeFive();
    const { head } = await verifyReceipts(path);
    expect(await verifyReceipts(path, undefined, head)).toMatchObject({ found: 5 });
    writeFileSync(path, `${linesOf(path).slice(0, 3).join("\n")}\n`);
    expect(await verifyReceipts(path, undefined, head)).toMatchObject({ count: 3, broken: null, found: null });
  });

  it("with a key holds for that key only", async () => {
    const path = await writeFive("not-a-real-receipt-key");
    expect((await verifyReceipts(path, "not-a-real-receipt-key")).broken).toBe(null);
    expect((await verifyReceipts(path)).broken).toMatchObject({ line: 1 });
    expect((await verifyReceipts(path, "another-key")).broken).toMatchObject({ line: 1 });
  });
});
