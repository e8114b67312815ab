/**
 * `run` as a person and as a program meet it: real process, real graph, real sandbox.
 * Each test is one call of the command; what the engine does in general is tested elsewhere, more calls in run.long.test.ts.
 */

import { describe, expect, it } from "vitest";
import { runCommand, runJson } from "./command.ts";
import { useFiles } from "./files.ts";

const write = useFiles();

describe("run --json", () => {
  it("prints one line with the observation and its usage", async () => {
    const { code, stderr, stdout, observation } = await runJson("const result = [1,2,3].map(x => x * 2)\n");
    expect(stdout).toMatch(/^\{"ok":true,"status":"ok","result":\[2,4,6\],"stdout":\[\],"usage":\{"wallMs":/);
    expect(observation?.usage).toMatchObject({ wallMs: expect.any(Number), queueMs: expect.any(Number) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("keeps what was printed before a timeout", async () => {
    const { code, observation } = await runJson('console.log("before"); while(true);', "--limit", "timeoutMs=200");
    expect(observation).toMatchObject({ ok: false, status: "timeout", stdout: ["before"] });
    expect(code).toBe(1);
  });

  it("goes through the policy", async () => {
    const { code, observation } = await runJson('require("fs")');
    expect(observation).toMatchObject({ ok: false, status: "denied", error: "PolicyDenied" });
    expect(code).toBe(1);
    const allowed = await runJson('require("fs")', "--policy", "allow-all");
    expect(allowed.observation).toMatchObject({ status: "error", error: "ReferenceError" });
  });

  it("escapes what a terminal would act on", async () => {
    const { stdout, observation } = await runJson('console.log("\\u001b[31m\\u202e"); return "\\u009b\\ud800";');
    expect(stdout.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    expect(observation).toMatchObject({ stdout: ["\u001b[31m\u202e"], result: "\u009b\ud800" });
  });
});

describe("run", () => {
  it("takes the language from the file's name, and shows where a program fails", async () => {
    const source =
      'type User = { city?: string };\nconst user: User = {};\nconsole.log("looking");\nreturn user.city.length;\n';
    const ended = await runCommand(["run", await write("fail.ts", source)]);
    expect(ended.stdout.replace(/ in [\d.]+ m?s\n/, "\n")).toBe(
      [
        "✗ the program failed",
        "",
        "  TypeError: Cannot read properties of undefined (reading 'length')  line 4, column 18",
        '    3 │ console.log("looking");',
        "  > 4 │ return user.city.length;",
        "      │                  ^",
        "",
        "printed",
        "  looking",
        "",
      ].join("\n"),
    );
    expect(ended.code).toBe(1);
  });

  it("leaves no line of a message at the margin, where it could pass for one of its own", async () => {
    const stdin = 'throw new Error("x\\n\\n\\u2713 ok in 3 ms\\n\\nresult\\n  42\\u001b[1A")';
    const ended = await runCommand(["run"], { stdin });
    expect(ended).toMatchObject({ code: 1, stderr: "" });
    expect(ended.stdout.split("\n").filter((line) => /^\S/.test(line))).toEqual([
      expect.stringMatching(/^✗ the program failed/),
    ]);
    expect(ended.stdout).toContain("    result\n      42\\u001b[1A\n");
  });

  it("gives the program the JSON in --input", async () => {
    const program = await write("sum.js", "return input.reduce((sum, n) => sum + n, 0)");
    const ended = await runCommand(["run", program, "--input", "-"], { stdin: "[20, 22]" });
    expect(ended.stdout).toContain("result\n  42\n");
    expect(ended.code).toBe(0);
  });

  it("names the flag of an input that JSON cannot hold", async () => {
    const program = await write("input.js", "return input");
    const ended = await runCommand(["run", program, "--input", "-"], { stdin: '{"n":1e999}' });
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/^sallyport: --input "-": input, at "n": expected .*, got Infinity\n$/);
  });
});

describe("--help and --version", () => {
  it("answer without starting anything", async () => {
    const help = await runCommand(["--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const word of [
      "run",
      "inspect",
      "batch",
      "graph",
      "--policy",
      "--containment",
      "Exit codes",
      "OPENAI_API_KEY",
    ]) {
      expect(help.stdout).toContain(word);
    }
    expect((await runCommand(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await runCommand(["batch", "--help"])).stdout).toContain("--concurrency");
  });
});
