/**
 * `inspect`: the manifest and the decision, rule by rule, of programs that must not run.
 * Real process, real inspector worker.
 */

import { describe, expect, it } from "vitest";
import { parseLines, runCommand } from "./command.ts";

describe("inspect", () => {
  it("shows what a program mentions and which rule refuses it, and exits 1", async () => {
    const { code, stdout, stderr } = await runCommand(["inspect"], {
      stdin: 'console.log("ran"); require("fs"); eval("1");',
    });
    expect(stdout).toMatch(/imports\s+fs/);
    expect(stdout).toMatch(/dynamic code\s+eval/);
    expect(stdout).toContain("Policy standard: deny");
    expect(stdout).toMatch(/✗\s+imports-javascript\s+deny/);
    expect(stdout).not.toMatch(/^\s*ran$/m);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  });

  it("shows no decision of a rule that did not match", async () => {
    const { stdout } = await runCommand(["inspect", "-"], { stdin: "console.log(1)\n" });
    expect(stdout).not.toMatch(/^\s*·.*\b(deny|ask|allow)\b/m);
    expect(stdout).toMatch(/·\s+languages\s+–\s+javascript is among those/);
    expect(stdout).toMatch(/size\s+15 characters, 1 line,/);
  });

  it("exits 0 for a program that the policy lets run", async () => {
    const { code, stdout } = await runCommand(["inspect", "-"], { stdin: "while (true);" });
    expect(stdout).toContain("Policy standard: allow");
    expect(code).toBe(0);
  });

  it("says where a program does not parse", async () => {
    const { stdout } = await runCommand(["inspect", "-"], { stdin: "return 1;\nreturn +* 2;" });
    expect(stdout).toMatch(/does not parse\s+line 2/);
    expect(stdout).toMatch(/complete\s+no: it does not parse, so nothing could be listed/);
    expect(stdout).toContain("It may run, and would fail at once");
  });

  const inspectPython = async (source: string, policy: string) => {
    const { stdout } = await runCommand(["inspect", "-", "--language", "python", "--policy", policy], {
      stdin: source,
    });
    return stdout.replace(/\s+/g, " ");
  };

  it("says which module it knows nothing of, and no doubt beside an import that is refused by name", async () => {
    const told = await inspectPython("import numpy.linalg, math\n", "strict");
    expect(told).toContain("complete no: what it does is not known: numpy.linalg (globals, members), so");
    expect(told).toContain("imports: Refused: numpy.linalg, math. ");
    expect(told).not.toMatch(/names are computed|ruled out/);
  });

  it("says that names are computed where they are", async () => {
    const told = await inspectPython("import math\ngetattr(math, input)\n", "standard");
    expect(told).toContain("complete no: names are computed (members), so");
  });

  it("says which imports a rule leaves alone", async () => {
    const told = await inspectPython("import statistics\n", "standard");
    expect(told).toContain("imports-python – imports: only statistics, which this rule is not about");
  });

  it("shows a name in one line, whatever it holds", async () => {
    const name = JSON.stringify("fs\nPolicy standard: allow\u001b[2J");
    const { stdout } = await runCommand(["inspect", "-"], { stdin: `require(${name}); ({})[${name}]` });
    expect(stdout).not.toMatch(/^\s*Policy standard: allow/m);
    expect(stdout.replace(/\s+/g, "")).toContain("fs\\u000aPolicystandard:allow\\u001b[2J");
  });

  it("prints one line of JSON where a program reads it", async () => {
    const { stdout } = await runCommand(["inspect", "--json", "--policy", "strict"], {
      stdin: "globalThis['\u202e' + x]",
    });
    expect(stdout).not.toMatch(/[\u202a-\u202e]/);
    const [line] = parseLines(stdout);
    expect(line).toMatchObject({ policy: "strict", decision: { effect: "deny" }, manifest: { complete: false } });
    expect(line?.rules).toEqual(expect.arrayContaining([expect.objectContaining({ matched: true, effect: "deny" })]));
  });
});
