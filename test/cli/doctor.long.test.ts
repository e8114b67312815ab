/**
 * `doctor` as a person and a program meet it: the table, the JSON, the exit code. The real command, with workers as plain
 * processes, which are to be had everywhere.
 */

import { describe, expect, it } from "vitest";
import type { SandboxReport } from "../../src/types.ts";
import { runCommand } from "./command.ts";

const PATIENCE_MS = 120_000;

interface Printed extends SandboxReport {
  ok: boolean;
  missing: string[];
  attacks?: { by: string; title: string; hasSucceeded: boolean }[];
}

describe("doctor", () => {
  it(
    "says process, what a V8 exploit would then meet, layer by layer, and what to do",
    async () => {
      const { code, stdout } = await runCommand(["doctor", "--containment", "process"]);
      expect(code).toBe(0);
      const text = stdout.replace(/\s+/g, " ");
      expect(text).toContain("Containment: process");
      expect(text).toContain("as this user on this machine: every file, process and network connection");
      expect(text).toMatch(/javascript yes V8 of Node \d+/);
      expect(text).toMatch(
        /python yes a program ran on CPython 3\.\d+\.\d+ \(pyodide [\d.]+\); snapshot of \d\.\d MB, verified/,
      );
      expect(text).toMatch(/isolate yes .* permission-model yes .* seccomp no no filter/);
      expect(text).toMatch(/For .*seccomp, containment: Install bubblewrap/);
    },
    PATIENCE_MS,
  );

  it(
    "prints one line of JSON and ends with 1 where a required layer is missing",
    async () => {
      const args = ["doctor", "--json", "--containment", "process", "--require", "deadline,seccomp"];
      const { code, stdout } = await runCommand(args);
      expect(code).toBe(1);
      const printed = JSON.parse(stdout) as Printed;
      expect(printed).toMatchObject({ ok: false, missing: ["seccomp"], containment: "process" });
      expect(printed.engines).toMatchObject([
        { name: "javascript", active: true },
        { name: "python", active: true, probed: "inside and outside", detail: expect.stringContaining("CPython 3.") },
      ]);
      expect(printed.layers.find(({ name }) => name === "deadline")).toMatchObject({ active: true, probed: "inside" });
      for (const { active, remedy } of printed.layers) expect(active || remedy !== undefined).toBe(true);
    },
    PATIENCE_MS,
  );

  it(
    "with --attacks tries them here: no program gets anywhere, and a worker that was taken over gets as far as it does",
    async () => {
      const { code, stdout } = await runCommand(["doctor", "--json", "--attacks", "--containment", "process"]);
      const { attacks = [] } = JSON.parse(stdout) as Printed;
      const byGuest = attacks.filter(({ by }) => by === "a program");
      expect(byGuest.length).toBeGreaterThan(10);
      expect(byGuest.filter(({ hasSucceeded }) => hasSucceeded)).toEqual([]);
      expect(attacks.some(({ by, hasSucceeded }) => by !== "a program" && hasSucceeded)).toBe(true);
      expect(code).toBe(1);
    },
    PATIENCE_MS,
  );

  it(
    "tells of an attack that came to nothing in words that go together",
    async () => {
      const { stdout } = await runCommand(["doctor", "--attacks", "--containment", "process"]);
      expect(stdout).toMatch(/^ {2}✓ held off: reads the environment\n {4}ended as error: process is not defined/m);
      expect(stdout).not.toMatch(/^ {4}(failed|succeeded):/m);
    },
    PATIENCE_MS,
  );

  it(
    "that is asked for a layer that there is none of says which there are",
    async () => {
      const { code, stdout, stderr } = await runCommand(["doctor", "--containment", "process", "--require", "moat"]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(/^sallyport: --require: there is no layer "moat"; there are .*\bseccomp\b.*\n$/);
    },
    PATIENCE_MS,
  );

  it("is told what container it can build", async () => {
    const { code, stderr } = await runCommand(["container", "destroy"]);
    expect(code).toBe(2);
    expect(stderr).toContain("container build is all there is");
  });
});
