/**
 * The line reader: every line as it comes, whatever the chunks, and never more than the cap held.
 * No process, no sandbox.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type InputLine, readLines } from "../../src/cli/lines.ts";

async function* inChunks(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(bytes: Buffer, maxBytes = 1024, sizes: readonly number[] = [7]): Promise<InputLine[]> {
  const seen: InputLine[] = [];
  for await (const line of readLines(inChunks(bytes, sizes), maxBytes)) seen.push(line);
  return seen;
}

async function readTexts(text: string): Promise<string[]> {
  return (await read(Buffer.from(text))).map((line) => (line.kind === "text" ? line.text.trimEnd() : line.kind));
}

describe("lines", () => {
  it("come out whole, however the bytes are cut", async () => {
    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => !/[\n\r\ufeff]/.test(text)));
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), async (lines, sizes) => {
        const seen = await read(Buffer.from(lines.map((line) => `${line}\n`).join("")), 1024, sizes);
        const wanted = lines.map((line) => Buffer.from(line).toString()).filter((line) => line.trim() !== "");
        expect(seen).toEqual(wanted.map((text) => ({ kind: "text", text })));
      }),
    );
  });

  it("may end with CR LF, or with nothing", async () => {
    expect(await readTexts("a\r\nb\nc")).toEqual(["a", "b", "c"]);
  });

  it("are skipped where they are blank", async () => {
    expect(await readTexts("\n\r\n  \t\na\n\n")).toEqual(["a"]);
  });

  it("may begin with a byte order mark", async () => {
    expect(await readTexts("\ufeff{}\n")).toEqual(["{}"]);
    expect(await readTexts("\ufeff\n{}\n")).toEqual(["{}"]);
  });

  it("that are not UTF-8 are told apart, and the next one is read", async () => {
    const bytes = Buffer.concat([Buffer.from([0x22, 0xff, 0xfe, 0x22, 10]), Buffer.from("ok\n")]);
    expect(await read(bytes)).toEqual([{ kind: "not_utf8" }, { kind: "text", text: "ok" }]);
  });

  it("over the cap are counted, not held, and the next one is read", async () => {
    const seen = await read(
      Buffer.from(`${"x".repeat(5000)}\nok\n${"y".repeat(1024)}\n${"z".repeat(1025)}`),
      1024,
      [100],
    );
    expect(seen.map((line) => line.kind)).toEqual(["too_long", "text", "text", "too_long"]);
    expect(seen[0]).toEqual({ kind: "too_long", bytes: 5000 });
  });

  it("of blanks over the cap are too long, not blank", async () => {
    expect(await read(Buffer.from(`${" ".repeat(2000)}\n`))).toEqual([{ kind: "too_long", bytes: 2000 }]);
  });

  it("come out before the input ends", async () => {
    let release: () => void = () => {};
    async function* source(): AsyncGenerator<Buffer> {
      yield Buffer.from("first\nsec");
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      yield Buffer.from("ond\n");
    }
    const lines = readLines(source());
    expect(await lines.next()).toEqual({ done: false, value: { kind: "text", text: "first" } });
    const second = lines.next();
    setImmediate(() => release());
    expect(await second).toEqual({ done: false, value: { kind: "text", text: "second" } });
  });
});
