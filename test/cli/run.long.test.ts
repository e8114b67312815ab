/**
 * More of `run` than `npm test` has time for: each test starts the real command, some of them twice.
 */

import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
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

  it("says of a file that was named that it is empty, and asks for none", async () => {
    const { code, stdout } = await runCommand(["run", await write("empty.py", "")]);
    expect(stdout).toMatch(/The program in "[^"]*empty\.py" is empty: there is nothing to run\./);
    expect(stdout).not.toContain("name a file");
    expect(code).toBe(1);
  });

  it("takes a file from the folder that npm start was called in, where npm has moved to the package's own", async () => {
    const root = join(import.meta.dirname, "../..");
    const inside = { npm_lifecycle_event: "start", npm_package_name: "sallyport", INIT_CWD: join(root, "test") };
    const env = { ...inside, npm_package_json: join(root, "package.json") };
    const run = (extra: Record<string, string>) =>
      runCommand(["run", "cli/command.ts", "--policy", "lax"], { cwd: root, env: { ...env, ...extra } });
    // The program is found: what is missing is the policy.
    expect((await run({})).stderr).toMatch(/--policy.*"lax"/);
    expect((await run({ npm_package_name: "another" })).stderr).toMatch(/cannot read "cli\/command.ts"/);
    expect((await run({ INIT_CWD: "/" })).stderr).toMatch(/cannot read "cli\/command.ts"/);
  });

  it("finds receipts in that folder as well", async () => {
    const cwd = dirname(await write("program.js", "return 1"));
    const below = join(cwd, "below");
    mkdirSync(below);
    const env = { npm_lifecycle_event: "start", npm_package_name: "sallyport", INIT_CWD: below };
    const written = await runCommand(["run", "../program.js", "--receipts", "calls.jsonl"], { cwd, env });
    expect(written).toMatchObject({ code: 0, stderr: "" });
    const verified = await runCommand(["receipts", "verify", "calls.jsonl"], { cwd, env });
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 line holds\n/) });
    expect(existsSync(join(below, "calls.jsonl"))).toBe(true);
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

describe("wrong use ends with 2, one sentence and no stack:", () => {
  it.each<[string, string[], RegExp]>([
    ["a file that is not there", ["run", "absent.js"], /cannot read "absent.js": there is no such file/],
    ["a folder", ["run", "/"], /cannot read "\/": it is a directory/],
    ["an input that is not there", ["run", "-", "--input", "absent.json"], /cannot read "absent.json"/],
    ["two things from standard input", ["run", "-", "--input", "-"], /cannot both come from standard input/],
    ["an unknown limit", ["run", "-", "--limit", "speed=1"], /no limit "speed".*timeoutMs/],
    ["a limit out of bounds", ["run", "-", "--limit", "timeoutMs=0"], /timeoutMs.*from 1 to 60000.*got 0/],
    ["a limit that is no number", ["run", "-", "--limit", "timeoutMs=fast"], /timeoutMs.*got "fast"/],
    ["a limit without a value", ["run", "-", "--limit", "timeoutMs"], /name=value/],
    ["an unknown language", ["run", "-", "--language", "cobol"], /javascript, typescript or python/],
    ["an unknown policy", ["run", "-", "--policy", "lax"], /--policy.*standard.*"lax".*no such file/],
    [
      "a mistyped policy",
      ["run", "-", "--policy", "strickt"],
      /--policy.*"strickt".*no such file \(Did you mean strict\?\)/,
    ],
    ["a mistyped option", ["run", "--jsn"], /^sallyport: unknown option '--jsn' \(Did you mean --json\?\) \(--help/],
    ["an unknown containment", ["run", "-", "--containment", "moat"], /--containment.*moat.*auto, container/],
    ["an unknown option", ["run", "--fast"], /unknown option '--fast'/],
    ["too many files", ["run", "a.js", "b.js"], /too many arguments/],
    ["an unknown command", ["bacth"], /no command "bacth" .*batch/],
    ["an unknown command with its file", ["inspct", "program.ts"], /no command "inspct" .*inspect/],
    ["an extension of no language here", ["run", "x.rb"], /"\.rb" names no language.*--language/],
    ["an extension of no language to inspect", ["inspect", "x.rb"], /"\.rb" names no language.*--language/],
    ["a concurrency of nothing", ["batch", "--concurrency", "0"], /whole number from 1/],
  ])("%s", async (_what, args, sentence) => {
    const { code, stdout, stderr } = await runCommand(args, { stdin: "return 1" });
    expect(stderr).toMatch(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).not.toMatch(/\n\s+at |file:\/\//);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it.each<[string, string | Buffer, RegExp]>([
    ["no JSON", "{", /not valid JSON/],
    ["no policy", '{"version":1}', /policy/],
    ["no UTF-8", Buffer.from([0xff, 0xfe]), /not UTF-8/],
  ])("a policy file that holds %s", async (_what, content, sentence) => {
    const path = await write("policy.json", content);
    const { code, stderr } = await runCommand(["run", "-", "--policy", path], { stdin: "return 1" });
    expect(stderr).toMatch(sentence);
    expect(stderr).toContain(JSON.stringify(path));
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(2);
  });

  it("but SALLYPORT_DEBUG shows where a fault came from", async () => {
    const { stderr } = await runCommand(["run", "absent.js"], { env: { SALLYPORT_DEBUG: "1" } });
    expect(stderr).toMatch(/\n\s+at /);
    // Whatever an error says of itself, none of it stands where the command's own sentence stands.
    expect(stderr).toMatch(/^sallyport: .*\n(?: {2}.*\n)+$/);
  });
});
