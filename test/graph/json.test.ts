/**
 * Printed JSON: one line, nothing hidden in it, and read back as what it was.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { observationText, parseObservationText, printJson } from "../../src/protocol/json.ts";
import type { Observation } from "../../src/types.ts";

describe("printJson", () => {
  it.each<[string, string]>([
    ["a line break", "\n"],
    ["an escape sequence", "\u001b[31m"],
    ["a C1 control", "\u009b"],
    ["a bidi override", "\u202e"],
    ["a zero-width space", "\u200b"],
    ["a byte order mark", "\ufeff"],
    ["a line separator", "\u2028"],
    ["a variation selector", "\ufe0f"],
    ["a tag character beyond the first plane", "\u{e0041}"],
    ["a lone surrogate", "\ud800"],
    ["a Hangul filler", "\u3164"],
  ])("escapes %s", (_title, text) => {
    const printed = printJson({ text });
    expect(printed).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(printed)).toEqual({ text });
  });

  it("leaves letters, spaces and emoji of every script as they are", () => {
    expect(printJson("Grüße, 日本語 \u{1f600}")).toBe('"Grüße, 日本語 \u{1f600}"');
  });

  it("prints null for what JSON has no word for", () => {
    expect(printJson(undefined)).toBe("null");
    expect(printJson(() => 1)).toBe("null");
  });

  it("is one line of well-formed text that reads back as the same value, whatever the value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
        const printed = printJson([value, text]);
        expect(printed).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify([value, text])));
      }),
    );
  });
});

describe("observationText", () => {
  const usage = { wallMs: 1, cpuMs: 1, queueMs: 0 };

  it("has one order of keys whatever order they came in, and no usage", () => {
    const observation: Observation = {
      usage,
      truncated: ["stdout"],
      column: 2,
      line: 1,
      message: "m",
      error: "TypeError",
      stdout: ["a"],
      status: "error",
      ok: false,
    };
    expect(observationText(observation)).toBe(
      '{"ok":false,"status":"error","stdout":["a"],"error":"TypeError","message":"m","line":1,"column":2,"truncated":["stdout"]}',
    );
    expect(observationText({ usage, stdout: [], result: null, ok: true, status: "ok" })).toBe(
      '{"ok":true,"status":"ok","result":null,"stdout":[]}',
    );
  });

  it("is told from other text when it is read back", () => {
    expect(parseObservationText('{"ok":true,"status":"ok","result":1,"stdout":[]}')).toEqual({
      ok: true,
      status: "ok",
    });
    for (const text of [
      "",
      "Rain in Bern.",
      '{"ok":',
      '{"ok":1,"status":"ok"}',
      '{"ok":true}',
      '{"status":"ok","ok":true}',
      null,
      7,
    ]) {
      expect(parseObservationText(text)).toBeNull();
    }
  });
});
