/**
 * Text for a person: what a stranger wrote cannot act on the terminal, and an error's place is shown where it is.
 * Pure functions only.
 */

import fc from "fast-check";
import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { formatLayers } from "../../src/cli/doctor.ts";
import { formatExcerpt } from "../../src/cli/excerpt.ts";
import { describeFault, UsageError } from "../../src/cli/fault.ts";
import { formatText, formatVerdict, wrapJson, wrapText } from "../../src/cli/layout.ts";
import { formatObservation } from "../../src/cli/observation.ts";
import { toOneLine, toPrintable, widthOf } from "../../src/cli/printable.ts";
import type { Style } from "../../src/cli/style.ts";

const PLAIN: Style = { ...picocolors.createColors(false), columns: 80, isTerminal: false };

describe("wrapJson", () => {
  it("begins no line with the space that it broke at", () => {
    expect(wrapJson("aaaa bbbb, cccc dddd", 10)).toEqual(["aaaa bbbb,", "cccc dddd"]);
  });
});

describe("formatLayers", () => {
  it("cuts nothing off a long path", () => {
    const path = `/${"folder/".repeat(20)}file.js`;
    const detail = `user ids of its own: ${path} is closed`;
    const lines = formatLayers([{ name: "user-namespace", active: true, probed: "outside", detail }], PLAIN);
    expect(lines.join("").replace(/\s/g, "")).toContain(path);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe("toPrintable", () => {
  it("leaves ordinary text as it is", () => {
    expect(toPrintable("naïve 日本語 🎉 a\tb\nc")).toBe("naïve 日本語 🎉 a\tb\nc");
  });

  it.each([
    ["a terminal's escape", "\u001b[31mred", "\\u001b[31mred"],
    ["bidi", "a\u202eb", "a\\u202eb"],
    ["zero width", "a\u200bb", "a\\u200bb"],
    ["a carriage return", "a\rb", "a\\u000db"],
    ["a C1 control", "a\u009bb", "a\\u009bb"],
    ["a lone surrogate", "a\ud800b", "a\\ud800b"],
    ["a tag beyond the first plane", "a\u{e0041}b", "a\\udb40\\udc41b"],
  ])("escapes %s", (_what, given, shown) => {
    expect(toPrintable(given)).toBe(shown);
  });

  it("never lets a control character through", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(toPrintable(text)).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
    );
  });
});

describe("toOneLine", () => {
  it("escapes what would begin another line or column as well", () => {
    expect(toOneLine("a\nb\tc\u001b[2J é")).toBe("a\\u000ab\\u0009c\\u001b[2J é");
  });
});

describe("formatExcerpt", () => {
  const show = (source: string, line: number, column: number) => formatExcerpt(source, { line, column }, PLAIN);

  it("puts the caret under the column", () => {
    expect(show("const a = 1;\na.b.c();\nreturn a;", 2, 5)).toEqual([
      "    1 │ const a = 1;",
      "  > 2 │ a.b.c();",
      "      │     ^",
      "    3 │ return a;",
    ]);
  });

  it("counts tabs and wide characters as they are shown", () => {
    const [, line, caret] = show("x\n\tconst 日本 = y();", 2, 13);
    expect(widthOf(line?.slice(0, line.indexOf("y()")) ?? "")).toBe(caret?.indexOf("^"));
  });

  it("shows the place in a line that is too long, within the width", () => {
    const source = `const a = [${"1, ".repeat(2000)}oops];`;
    const shown = show(source, 1, source.indexOf("oops") + 1);
    expect(shown.every((line) => line.length <= 80)).toBe(true);
    const caret = shown[1]?.indexOf("^") ?? -1;
    expect(shown[0]?.slice(caret, caret + 4)).toBe("oops");
  });

  it("shows nothing for a line that is not there", () => {
    expect(show("a", 7, 1)).toEqual([]);
  });

  it("never fails, and never leaves the width", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(5), fc.nat(400), (source, line, column) => {
        for (const shown of show(source, line, column)) expect(widthOf(shown)).toBeLessThanOrEqual(100);
      }),
    );
  });
});

describe("formatObservation", () => {
  const usage = { wallMs: 1.5, cpuMs: 1, queueMs: 0 };

  it("shows how it ended, where, and what was printed, with nothing that acts on the terminal", () => {
    const shown = formatObservation(
      {
        ok: false,
        status: "error",
        error: "Type\u001bError",
        message: "no \u202e",
        line: 1,
        column: 1,
        stdout: ["\u001b[2J"],
        usage,
      },
      "boom",
      PLAIN,
    ).join("\n");
    expect(shown).toMatchInlineSnapshot(`
      "✗ the program failed in 1.5 ms

        Type\\u001bError: no \\u202e  line 1, column 1
        > 1 │ boom
            │ ^

      printed
        \\u001b[2J"
    `);
  });

  it("shows a result, and that output was cut", () => {
    const shown = formatObservation(
      { ok: true, status: "ok", result: { a: [1, 2] }, stdout: ["x"], truncated: ["stdout"], usage },
      "",
      PLAIN,
    );
    expect(shown).toEqual(["✓ ok in 1.5 ms", "", "printed (cut at the limit)", "  x", "", "result", '  {"a":[1,2]}']);
  });
});

describe("formatObservation of a text of many lines", () => {
  const usage = { wallMs: 1.5, cpuMs: 1, queueMs: 0 };
  const failed = { ok: false as const, status: "error" as const, error: "Error", message: "", stdout: [], usage };
  const FAKE = "x\n\n\u2713 ok in 3 ms\n\nresult\n  42\r\u001b[1A";

  it("lets no line of a message stand where its own words stand", () => {
    expect(formatObservation({ ...failed, message: FAKE, line: 1, column: 1 }, "a", PLAIN)).toEqual([
      "✗ the program failed in 1.5 ms",
      "",
      "  Error: x  line 1, column 1",
      "",
      "    \u2713 ok in 3 ms",
      "",
      "    result",
      "      42\\u000d\\u001b[1A",
      "  > 1 │ a",
      "      │ ^",
    ]);
  });

  it("nor of the exception's name, of what was printed, or of a result", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("\n", "a", "✓ ok", "\r", " ", "\u2028", "\t")), (parts) => {
        const text = parts.join("");
        const shown = [
          ...formatObservation({ ...failed, error: text, message: text, stdout: [text] }, "", PLAIN).slice(1),
          ...formatObservation(
            { ok: true, status: "ok", result: [text, { [text]: text }], stdout: [text], usage },
            "",
            PLAIN,
          ).slice(1),
        ].flatMap((line) => line.split("\n"));
        const words = new Set(["", "printed", "result"]);
        for (const line of shown) expect(words.has(line) || line.startsWith("  ")).toBe(true);
      }),
    );
  });

  it("nor of what a table, a verdict or a paragraph tells", () => {
    const told = [...formatText("a\nb \u001b[2J", PLAIN), ...formatVerdict("", "a\nb\u001b[2J", PLAIN)];
    expect(told).toEqual(["     a", "     b \\u001b[2J", "     ✗ not as the tour says: a", "       b\\u001b[2J"]);
  });
});

describe("formatObservation of what was stopped", () => {
  it("says for how long it ran in words that go together", () => {
    const usage = { wallMs: 101, cpuMs: null, queueMs: 0 };
    const stopped = { ok: false as const, error: "Timeout", message: "", stdout: [], usage };
    const [first] = formatObservation({ ...stopped, status: "timeout" }, "", PLAIN);
    expect(first).toBe("✗ stopped: it took too long (ran for 101 ms)");
  });
});

describe("wrapping", () => {
  it("loses nothing of a JSON text but blanks at a break, and stays within the width", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.integer({ min: 10, max: 90 }), (text, width) => {
        const lines = wrapJson(text, width);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        expect(lines.every((line) => line.length <= width)).toBe(true);
      }),
    );
  });

  it("breaks prose at blanks", () => {
    expect(wrapText("one two three four", 9)).toEqual(["one two", "three", "four"]);
  });
});

describe("describeFault", () => {
  it("says an unexpected fault in one line without its stack", () => {
    const text = describeFault(new Error("broken\n    at somewhere"));
    expect(text).toMatch(/^sallyport: broken at somewhere \(unexpected;/);
  });

  it("hides what looks like a key", () => {
    const told = describeFault(new UsageError("401 for sk-proj-abcdef123456, Bearer xyzxyz, https://ada:pass@host/"));
    expect(told).toBe("sallyport: 401 for [secret], [secret], https://[secret]host/");
  });
});
