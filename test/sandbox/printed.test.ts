/**
 * What the host keeps of a run's output: lines as they come, and what has not ended as the last of them. What is more than
 * was allowed breaks the protocol, in lines, in bytes, and in parts.
 */

import { describe, expect, it } from "vitest";
import { MAX_STDOUT_PARTS } from "../../src/limits.ts";
import { ProtocolViolation } from "../../src/protocol/frame.ts";
import { createPrinted, type Printed } from "../../src/sandbox/printed.ts";

function collect(stdoutBytes = 100, stdoutLines = 10): Printed & { readonly told: string[] } {
  const told: string[] = [];
  return Object.assign(
    createPrinted({ stdoutBytes, stdoutLines }, (line) => told.push(line)),
    { told },
  );
}

describe("a line in parts", () => {
  it("is one entry when it has ended, and told once", () => {
    const printed = collect();
    printed.part("a", "stdout");
    printed.part("b", "stdout");
    expect(printed.told).toEqual([]);
    printed.line("abc", "stdout");
    expect(printed.told).toEqual(["abc"]);
    expect(printed.end()).toEqual({ stdout: ["abc"], stdoutTruncated: false });
  });

  it("that has not ended is the last entry, and told at the end", () => {
    const printed = collect();
    printed.part("err", "stderr");
    printed.part("out", "stdout");
    printed.line("whole");
    printed.part("or", "stderr");
    expect(printed.told).toEqual(["whole"]);
    expect(printed.end()).toEqual({ stdout: ["whole", "out", "error"], stdoutTruncated: false });
    expect(printed.told).toEqual(["whole", "out", "error"]);
  });

  it.each<[string, bytes: number, lines: number, before: string, part: string, expected: string[], isCut: boolean]>([
    ["just fits", 5, 10, "", "abcde", ["abcde"], false],
    ["is too long by one byte", 5, 10, "", "abcdef", ["abcde"], true],
    ["is too long by a letter", 5, 10, "", "abcd😀", ["abcd"], true],
    ["is longer than what a line has left", 9, 10, "abc", "abcdef", ["abc", "abcde"], true],
    ["has no byte left", 4, 10, "abc", "de", ["abc"], true],
    ["is as many as there may be lines", 50, 2, "abc", "de", ["abc", "de"], false],
  ])("that %s is cut as a line is", (_, bytes, lines, before, part, expected, isCut) => {
    const printed = collect(bytes, lines);
    if (before !== "") printed.line(before);
    printed.part(part, "stdout");
    expect(printed.end()).toEqual({ stdout: expected, stdoutTruncated: isCut });
  });

  it("takes nothing from the lines of others", () => {
    const printed = collect(10, 10);
    printed.part("0123456789", "stderr");
    printed.line("abcd");
    printed.line("efgh");
    expect(printed.end()).toEqual({ stdout: ["abcd", "efgh"], stdoutTruncated: true });
  });

  it("is dropped where output was cut before it ended", () => {
    const printed = collect();
    printed.part("a", "stdout");
    printed.truncate();
    expect(printed.end()).toEqual({ stdout: [], stdoutTruncated: true });
  });
});

describe("a worker breaks the protocol with", () => {
  it.each<[string, (printed: Printed) => void]>([
    ["a line too large", (printed) => printed.line("x".repeat(101))],
    ["a line too many", (printed) => Array.from({ length: 11 }, () => printed.line(""))],
    ["a part too large", (printed) => printed.part("x".repeat(105), "stdout")],
    ["parts too large together", (printed) => Array.from({ length: 11 }, () => printed.part("x".repeat(10), "stderr"))],
    [
      "a part beyond what lines have left",
      (printed) => [printed.line("x".repeat(90)), printed.part("x".repeat(20), "stdout")],
    ],
    [
      "a part where no line is left",
      (printed) => {
        for (let line = 0; line < 10; line++) printed.line("");
        printed.part("x", "stdout");
      },
    ],
    ["an empty part", (printed) => printed.part("", "stdout")],
    ["a part after the end", (printed) => [printed.truncate(), printed.part("x", "stdout")]],
    ["a line after the end", (printed) => [printed.truncate(), printed.line("x")]],
    ["two ends", (printed) => [printed.truncate(), printed.truncate()]],
    ["the end of a line that was not begun", (printed) => [printed.part("x", "stdout"), printed.line("x", "stderr")]],
    [
      "two ends of one line",
      (printed) => [printed.part("x", "stdout"), printed.line("x", "stdout"), printed.line("x", "stdout")],
    ],
  ])("%s", (_, breakIt) => {
    expect(() => breakIt(collect())).toThrow(ProtocolViolation);
  });

  it("more parts than there can be, however many lines they are of", () => {
    const printed = collect(1_000_000, 1000);
    let parts = 0;
    expect(() => {
      for (let part = 0; part <= MAX_STDOUT_PARTS; part++) {
        if (part % 100 === 99) printed.line("", "stdout");
        printed.part("x", "stdout");
        parts++;
      }
    }).toThrow(ProtocolViolation);
    expect(parts).toBe(MAX_STDOUT_PARTS);
  });
});
