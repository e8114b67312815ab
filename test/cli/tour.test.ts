/**
 * The tour: what a newcomer sees first. Real graph, real sandbox, no key, no network; it must fit an 80 column terminal.
 * The tour checks its own observations; here: that all of it is there, and that a difference would be told.
 */

import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { widthOf } from "../../src/cli/printable.ts";
import { createStyle, hasColor } from "../../src/cli/style.ts";
import { THREATS } from "../../src/cli/threats.ts";
import { findDifference } from "../../src/cli/tour-check.ts";
import { PYTHON_STEPS } from "../../src/cli/tour-python.ts";
import { TOUR_STEPS } from "../../src/cli/tour-steps.ts";
import { runCommand } from "./command.ts";

const STEPS = [...TOUR_STEPS, ...PYTHON_STEPS];

const PATIENCE_MS = 120_000;

/** The text without line breaks and margins, so that a sentence is found however it was wrapped. */
const unwrap = (text: string) => text.replace(/\s+/g, " ");

describe("the tour", { timeout: PATIENCE_MS }, () => {
  it("states the threats, shows each answered, the agents and the report, and ends with 0", async () => {
    const { code, stdout, stderr } = await runCommand([], { env: { SALLYPORT_SECRET: "canary-77aa" } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const text = unwrap(stdout);

    const firstObservation = stdout.indexOf('◂ {"ok"');
    for (const { threat } of THREATS.filter(({ classic }) => classic)) {
      expect(stdout.indexOf(threat)).toBeGreaterThan(0);
      expect(stdout.indexOf(threat)).toBeLessThan(firstObservation);
    }
    for (const { title, remark } of STEPS) {
      expect(text).toContain(title);
      expect(text).toContain(`✓ ${remark}`);
    }
    for (const status of ["ok", "error", "timeout", "memory_limit", "rejected", "denied"]) {
      expect(text).toContain(`"status":"${status}"`);
    }
    for (const error of [
      "SyntaxError",
      "TypeError",
      "ReferenceError",
      "ToolNotAllowed",
      "PolicyDenied",
      "MemoryLimit",
      "FileNotFoundError",
      "KeyError",
    ]) {
      expect(text).toContain(`"error":"${error}"`);
    }
    expect(text).toContain("validate ─▶ policy ─▶ execute ─▶ observe ─▶ END");
    for (const language of ["javascript", "python"]) expect(text).toContain(`policy (denied by imports-${language})`);
    expect(text).toMatch(/scripted model.*Ended by answer after 2 turns.*scripted model.*Ended by cap after 3 turns/);
    expect(text).toMatch(/Containment: (container|bubblewrap|process)/);
    expect(text).toContain("Try next");
    expect(text).not.toContain("canary-77aa");
    expect(text).not.toMatch(/node_modules|file:\/\/|\/src\//);

    expect(stdout).not.toContain("\u001b");
    expect(stdout.split("\n").filter((line) => widthOf(line) > 80)).toEqual([]);
  });
});

describe("findDifference", () => {
  const seen = { ok: false, status: "error", error: "TypeError", line: 3, stdout: ["a"] } as const;

  it("finds nothing where all is as expected", () => {
    const wanted = { status: "error", error: "TypeError", line: 3, stdout: ["a"] } as const;
    expect(findDifference({ ...seen, stdout: ["a"] }, wanted)).toBeUndefined();
  });

  it.each([
    [{ status: "ok" } as const, /status is "error", not "ok"/],
    [{ status: "error", line: 4 } as const, /line is 3, not 4/],
    [{ status: "error", stdout: [] } as const, /stdout/],
    [{ status: "error", result: 1 } as const, /result is absent, not 1/],
  ])("names what differs", (expected, words) => {
    expect(findDifference({ ...seen, stdout: ["a"] }, expected)).toMatch(words);
  });
});

describe("every step", () => {
  it("that shows a threat names one of the table", () => {
    const known = THREATS.map(({ id }) => id);
    for (const { threat } of STEPS) if (threat !== undefined) expect(known).toContain(threat);
    for (const { id } of THREATS.filter(({ classic }) => classic))
      expect(STEPS.map(({ threat }) => threat)).toContain(id);
  });
});

describe("colour", () => {
  it("is for terminals only, and not where NO_COLOR is set", () => {
    expect(hasColor({ isTTY: false })).toBe(false);
    const { NO_COLOR } = process.env;
    process.env.NO_COLOR = "1";
    expect(hasColor({ isTTY: true })).toBe(false);
    if (NO_COLOR === undefined) delete process.env.NO_COLOR;
    else process.env.NO_COLOR = NO_COLOR;
  });

  it("leaves the width of a pipe at 80", () => {
    const style = createStyle({ isTTY: false } as typeof process.stdout);
    expect(style).toMatchObject({ columns: 80, isTerminal: false });
    expect(style.red("x")).toBe(picocolors.createColors(false).red("x"));
  });
});
