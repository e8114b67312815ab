/**
 * What the Python isolate tells of what is printed, and what the host makes of it: whole lines as a program without limits
 * would print them, cut; and wherever a program is stopped, just what it would have left had it ended there.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS, MAX_STDOUT_LINES, MAX_STDOUT_PARTS } from "../../src/limits.ts";
import type { Stream } from "../../src/protocol/messages.ts";
import { createPrinted } from "../../src/sandbox/printed.ts";
import { createOutput } from "../../src/worker/guest/python/output.ts";
import { createText } from "../../src/worker/guest/python/text.ts";

const { decodePart } = createText();

function connect(stdoutBytes: number, stdoutLines = MAX_STDOUT_LINES) {
  const printed = createPrinted({ stdoutBytes, stdoutLines }, () => {});
  const calls = { all: 0, parts: 0, chars: 0 };
  const output = createOutput((text, stream, isPart) => {
    calls.all++;
    if (isPart) calls.parts++;
    calls.chars += text?.length ?? 0;
    if (text === null) printed.truncate();
    else if (isPart !== true) printed.line(text, stream);
    else printed.part(text, stream as Stream);
  }, decodePart);
  output.open(stdoutBytes, stdoutLines);
  return {
    calls,
    write: (text: string | Uint8Array, stream: Stream = "stdout") => output[stream].write(Buffer.from(text)),
    lastLine: output.lastLine,
    /** As where the program is stopped. */
    stop: () => printed.end(),
    finish() {
      output.stdout.flush();
      output.stderr.flush();
      return printed.end();
    },
  };
}

type Written = readonly [text: string, stream: Stream];

/** The lines that end, in the order in which they do; then what has not ended. */
function linesOf(writes: readonly Written[]): string[] {
  const open: Record<Stream, string> = { stdout: "", stderr: "" };
  const lines: string[] = [];
  for (const [text, stream] of writes) {
    const [first = "", ...more] = text.split("\n");
    open[stream] += first;
    for (const next of more) {
      lines.push(open[stream]);
      open[stream] = next;
    }
  }
  return [...lines, ...[open.stdout, open.stderr].filter(Boolean)];
}

const letters = fc.array(fc.constantFrom("a", "b", "é", "€", "😀", "\n"), { maxLength: 12 }).map((all) => all.join(""));
const writes = fc.array(fc.tuple(letters, fc.constantFrom<Stream>("stdout", "stderr")), { maxLength: 20 });

describe("a line that is written in parts", () => {
  it("is one entry, in the place where it ended, and the last line where it is", () => {
    const run = connect(100);
    for (const text of ["a", "b"]) run.write(text);
    run.write("between\n", "stderr");
    run.write("c\nd");
    expect(run.calls).toMatchObject({ all: 5, parts: 3 });
    expect(run.lastLine()).toBe("abc");
    expect(run.finish()).toEqual({ stdout: ["between", "abc", "d"], stdoutTruncated: false });
    expect(run.lastLine()).toBe("d");
  });

  it("within its letters gives them whole", () => {
    const bytes = Buffer.from("é😀€\n");
    const run = connect(100);
    for (const byte of bytes) run.write(Uint8Array.of(byte));
    expect(run.finish().stdout).toEqual(["é😀€"]);
    const stopped = connect(100);
    for (const byte of bytes.subarray(0, 5)) stopped.write(Uint8Array.of(byte));
    expect(stopped.stop().stdout).toEqual(["é"]);
  });

  it("costs no more than its letters twice, however many parts it has", () => {
    const run = connect(LIMITS.stdoutBytes.default);
    for (let part = 0; part < 10_000; part++) run.write("x");
    expect(run.calls).toEqual({ all: 10_000, parts: 10_000, chars: 10_000 });
    run.write("\n");
    expect(run.calls).toEqual({ all: 10_001, parts: 10_000, chars: 20_000 });
    expect(run.finish().stdout).toEqual(["x".repeat(10_000)]);
  });

  it("for ever, on both streams, ends in silence within what the host takes", () => {
    const run = connect(LIMITS.stdoutBytes.max);
    for (let part = 0; part < LIMITS.stdoutBytes.max + 100; part++) {
      run.write("x");
      run.write("y", "stderr");
    }
    expect(run.calls.all).toBeLessThanOrEqual(MAX_STDOUT_PARTS);
    const { all } = run.calls;
    for (let part = 0; part < 1000; part++) run.write("x");
    expect(run.calls.all).toBe(all);
    const { stdout, stdoutTruncated } = run.stop();
    expect(stdoutTruncated).toBe(true);
    expect(stdout).toHaveLength(1);
    expect(stdout[0]).toHaveLength(LIMITS.stdoutBytes.max);
  });
});

describe("whatever is printed", () => {
  it("comes as it is, line by line, where there is room for it", () => {
    fc.assert(
      fc.property(writes, (all) => {
        const run = connect(10_000);
        for (const [text, stream] of all) run.write(text, stream);
        const expected = linesOf(all);
        expect(run.finish()).toEqual({ stdout: expected, stdoutTruncated: false });
        expect(run.lastLine()).toBe(expected.at(-1) ?? null);
      }),
      { numRuns: 2000 },
    );
  });

  it("is a beginning of that where there is none, never more than was allowed, and said to be cut", () => {
    fc.assert(
      fc.property(writes, fc.nat({ max: 60 }), fc.nat({ max: 6 }), (all, bytes, lines) => {
        const run = connect(bytes, lines);
        for (const [text, stream] of all) run.write(text, stream);
        const { stdout, stdoutTruncated } = run.finish();
        const expected = linesOf(all);
        const isWhole = JSON.stringify(stdout) === JSON.stringify(expected);
        if (!isWhole) expect(stdoutTruncated).toBe(true);
        if (Buffer.byteLength(expected.join("\n")) <= bytes) expect(stdoutTruncated).toBe(!isWhole);
        stdout.forEach((line, index) => expect(expected[index]?.startsWith(line)).toBe(true));
        expect(stdout.slice(0, -1)).toEqual(expected.slice(0, Math.max(stdout.length - 1, 0)));
      }),
      { numRuns: 3000 },
    );
  });

  it("is kept as it stands wherever the program is stopped", () => {
    fc.assert(
      fc.property(writes, fc.nat({ max: 60 }), fc.nat({ max: 6 }), (all, bytes, lines) => {
        const stopped = connect(bytes, lines);
        const ended = connect(bytes, lines);
        for (const [text, stream] of all) {
          stopped.write(text, stream);
          ended.write(text, stream);
        }
        expect(stopped.stop()).toEqual(ended.finish());
      }),
      { numRuns: 3000 },
    );
  });

  it("though it is no text costs what is shown for it", () => {
    const run = connect(10);
    run.write(Buffer.from([0x80, 0x81, 0x82, 0xff, 0x0a]));
    expect(run.finish()).toEqual({ stdout: ["\ufffd\ufffd\ufffd"], stdoutTruncated: true });
  });
});
