/**
 * More of `run` than `npm test` has time for: each test starts the real command, some of them twice.
 */

import { describe, expect, it } from "vitest";
import { parseLines, runCommand, runJson } from "./command.ts";
import { useFiles } from "./files.ts";

const write = useFiles();

describe("run", () => {
  it("keeps what was printed before a memory bomb", async () => {
    const bomb = 'console.log("before"); const a = []; while (true) a.push(new Array(1e5).fill(a.length));';
    const { observation } = await runJson(bomb, "--limit", "timeoutMs=20000", "--limit", "memoryMb=32");
    expect(observation).toMatchObject({ ok: false, status: "memory_limit", stdout: ["before"] });
  });

  it("shows nothing of the host's environment", async () => {
    const stdin = "return [typeof process, Object.keys(globalThis).join()]";
    const ended = await runCommand(["run", "--json", "--policy", "allow-all"], {
      stdin,
      env: { SALLYPORT_SECRET: "canary-1f2e" },
    });
    expect(ended.stdout).not.toContain("canary-1f2e");
    expect(parseLines(ended.stdout)[0]).toMatchObject({ ok: true });
  });

  it("lets the operator set a limit, and room for the arguments with it", async () => {
    const long = `// ${"x".repeat(80_000)}\nreturn 1`;
    expect((await runJson(long)).observation).toMatchObject({ status: "rejected" });
    expect((await runJson(long, "--limit", "sourceChars=100000")).observation).toMatchObject({ ok: true, result: 1 });
  });

  it("tells a person, not a model, that there is no program", async () => {
    const ended = await runCommand(["run"]);
    expect(ended.stdout).toContain("The program is empty: name a file");
    expect(ended.stdout).not.toContain("JSON object");
    expect(ended.code).toBe(1);
  });

  it("accepts a byte order mark", async () => {
    const ended = await runCommand(["run", await write("bom.js", "\ufeffreturn 7")]);
    expect(ended.stdout).toContain("result\n  7\n");
  });
});

describe("a policy file", () => {
  it("decides like a preset", async () => {
    const document = {
      version: 1,
      name: "no-math",
      defaultEffect: "deny",
      languages: ["javascript"],
      tools: ["run_javascript_sandboxed"],
      rules: [
        { id: "math", effect: "deny", when: { globals: { anyOf: ["Math"] } }, message: "Count on your fingers." },
        { id: "rest", effect: "allow", when: {}, message: "Fine." },
      ],
    };
    const path = await write("no-math.json", JSON.stringify(document));
    const { observation } = await runJson("Math.max(1, 2)", "--policy", path);
    expect(observation).toMatchObject({ status: "denied", message: "Count on your fingers." });
    expect((await runJson("1 + 1", "--policy", path)).observation).toMatchObject({ ok: true });
  });
});
