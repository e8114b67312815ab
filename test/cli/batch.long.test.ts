/**
 * `batch`: every line is answered once, in order, whatever it holds; limits are the operator's, the policy is asked.
 * Real process, real workers.
 */

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { MAIN, parseLines, runCommand } from "./command.ts";

const js = (id: unknown, source: string, rest: object = {}) => ({ id, language: "javascript", source, ...rest });

async function runBatch(lines: readonly unknown[], ...args: string[]) {
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  const ended = await runCommand(["batch", ...args], { stdin: `${texts.join("\n")}\n` });
  return { ...ended, answers: parseLines(ended.stdout) };
}

describe("batch", () => {
  it("answers in the order of the input, each with its usage, and exits 0", async () => {
    const { answers, code, stderr } = await runBatch([
      js("slow", "while (true);", { limits: { timeoutMs: 300 } }),
      js("quick", "return 1"),
      js(7, "return input.n * 2", { input: { n: 21 } }),
      { id: "ts", language: "typescript", source: "enum E { A = 5 }\nconst e: E = E.A; e" },
      js("", "return null"),
    ]);
    expect(answers).toMatchObject([
      { id: "slow", ok: false, status: "timeout" },
      { id: "quick", ok: true, result: 1 },
      { id: 7, ok: true, result: 42 },
      { id: "ts", ok: true, result: 5 },
      { id: "", ok: true, result: null },
    ]);
    for (const { usage } of answers) expect(usage).toMatchObject({ wallMs: expect.any(Number) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("asks the policy, and leaves to the guest what the policy permits", async () => {
    const lines = [js("import", 'require("os")'), js("eval", 'globalThis["ev" + "al"]("6 * 7")'), js("plain", "6 * 7")];
    const { answers } = await runBatch(lines);
    expect(answers[0]).toMatchObject({ status: "denied", error: "PolicyDenied" });
    expect(answers[1]?.ok).toBe(false);
    expect(answers[2]).toMatchObject({ result: 42 });
    const allowed = await runBatch(lines, "--policy", "allow-all");
    expect(allowed.answers).toMatchObject([{ error: "ReferenceError" }, { result: 42 }, { result: 42 }]);
  });

  it("runs Python beside JavaScript, and answers in the order of the lines", async () => {
    const { answers, code } = await runBatch([{ id: "p", language: "python", source: "2**70" }, js("j", "2")]);
    expect(answers).toMatchObject([
      { id: "p", ok: true, result: { $type: "bigint", value: "1180591620717411303424" } },
      { id: "j", ok: true, result: 2 },
    ]);
    expect(code).toBe(0);
  });

  it("lets a line set any limit within the table's bounds", async () => {
    const { answers } = await runBatch([
      js("a", `/* ${"x".repeat(5000)} */ 1`, { limits: { sourceChars: 10_000 } }),
      js("b", "return 'x'.repeat(100)", { limits: { resultBytes: 50 } }),
      js("c", "console.log('x'.repeat(100))", { limits: { stdoutBytes: 10 } }),
      js("d", `/* ${"x".repeat(5000)} */ 1`),
    ]);
    expect(answers).toMatchObject([
      { id: "a", ok: true },
      { id: "b", status: "output_limit" },
      { id: "c", stdout: ["xxxxxxxxxx"] },
      { id: "d", status: "rejected" },
    ]);
  });

  it("prints nothing that a terminal would act on", async () => {
    const { stdout, answers } = await runBatch([js("\u001b[2J\u202e", 'console.log("\\u001b]0;x\\u0007\\u200b")')]);
    expect(stdout.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(answers).toMatchObject([{ id: "\u001b[2J\u202e", stdout: ["\u001b]0;x\u0007\u200b"] }]);
  });

  it("has nothing to do for an empty input", async () => {
    expect(await runCommand(["batch"])).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
  });

  it("reads a file and /dev/null as it reads a pipe", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sallyport-batch-"));
    const file = join(folder, "lines.jsonl");
    await writeFile(file, `${JSON.stringify(js("a", `/*${"x".repeat(3000)}*/ 1`))}\n`.repeat(100));
    const redirected = (path: string) =>
      promisify(execFile)("sh", ["-c", 'exec "$0" "$1" batch < "$2"', process.execPath, MAIN, path]);
    const [{ stdout }, nothing] = await Promise.all([redirected(file), redirected("/dev/null")]);
    await rm(folder, { recursive: true });
    expect(parseLines(stdout).filter(({ ok }) => ok)).toHaveLength(100);
    expect(nothing).toEqual({ stdout: "", stderr: "" });
  });
});

describe("a line that cannot be taken is answered as InvalidLine:", () => {
  const invalid = { ok: false, status: "rejected", error: "InvalidLine" };
  const good = js("good", "return 1");
  const cases: [what: string, line: unknown, id: unknown, message: RegExp][] = [
    ["no JSON", "{oops", null, /not valid JSON/],
    ["a string", '"hi"', null, /JSON object/],
    ["null", "null", null, /JSON object/],
    ["an array", "[]", null, /JSON object/],
    ["no id", { language: "javascript", source: "1" }, null, /^id:/],
    ["an id that is an object", js({}, "1"), null, /^id:/],
    ["an id that cannot be counted", '{"id":1e999,"language":"javascript","source":"1"}', null, /^id:/],
    ["an id of a kilobyte", js("x".repeat(1024), "1"), null, /^id:/],
    ["no language", { id: "a", source: "1" }, "a", /^language:/],
    ["an unknown language", { id: "a", language: "ruby", source: "1" }, "a", /^language:/],
    ["a language from the prototype", { id: "a", language: "constructor", source: "1" }, "a", /^language:/],
    ["no source", { id: "a", language: "javascript" }, "a", /^source:/],
    ["a source that is a list", { id: "a", language: "javascript", source: ["1"] }, "a", /^source:/],
    ["an unknown key", js("a", "1", { timeoutMs: 5 }), "a", /unknown key "timeoutMs"/],
    ["a limit below its bounds", js("a", "1", { limits: { timeoutMs: 0 } }), "a", /timeoutMs.*1 to 60000/],
    ["a limit above its bounds", js("a", "1", { limits: { memoryMb: 1e9 } }), "a", /memoryMb/],
    ["a limit that is text", js("a", "1", { limits: { timeoutMs: "5" } }), "a", /timeoutMs/],
    ["a limit that is a fraction", js("a", "1", { limits: { timeoutMs: 1.5 } }), "a", /timeoutMs/],
    ["an unknown limit", js("a", "1", { limits: { speed: 5 } }), "a", /"speed"/],
    ["a limit of the whole sandbox", js("a", "1", { limits: { killGraceMs: 50 } }), "a", /"killGraceMs"/],
    ["limits that are a list", js("a", "1", { limits: [] }), "a", /^limits:/],
    ["limits that are null", js("a", "1", { limits: null }), "a", /^limits:/],
    ["a prototype", '{"id":"a","language":"javascript","source":"1","__proto__":{"ok":true}}', "a", /__proto__/],
    [
      "a prototype in the input",
      '{"id":"a","language":"javascript","source":"1","input":[{"__proto__":1}]}',
      "a",
      /__proto__/,
    ],
    [
      "endless nesting",
      `{"id":"a","language":"javascript","source":"1","input":${"[".repeat(400_000)}${"]".repeat(400_000)}}`,
      "a",
      /nested/,
    ],
    ["more than 1 MiB", js("a", "x".repeat(1024 * 1024)), null, /1048576 are read/],
  ];

  it("all of them, between lines that run", async () => {
    const { answers, code, stderr } = await runBatch(cases.flatMap(([, line]) => [line, good]));
    expect(answers).toHaveLength(2 * cases.length);
    cases.forEach(([what, , id, message], index) => {
      expect(answers[2 * index], what).toEqual({ id, ...invalid, message: expect.stringMatching(message) });
      expect(String(answers[2 * index]?.message).length, what).toBeLessThanOrEqual(200);
      expect(answers[2 * index + 1], what).toMatchObject({ id: "good", ok: true });
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("bytes that are not UTF-8, a byte order mark, CR LF, blank lines, no last line feed", async () => {
    const line = JSON.stringify(good);
    const stdin = Buffer.concat([
      Buffer.from(`\ufeff${line}\r\n\r\n   \n`),
      Buffer.from([0x7b, 0xc3, 0x28, 0x7d, 10]),
      Buffer.from(`${line}\r\n${line}`),
    ]);
    const { stdout } = await runCommand(["batch"], { stdin });
    const ok = { id: "good", ok: true, result: 1 };
    expect(parseLines(stdout)).toMatchObject([
      ok,
      { id: null, ...invalid, message: "the line is not valid UTF-8" },
      ok,
      ok,
    ]);
  });
});

describe("1,000 mixed lines", () => {
  it("are each answered once, in order", async () => {
    const kinds = [
      (id: number) => js(id, `return ${id} * 2`),
      (id: number) => js(id, `console.log(${id}); throw new Error("no")`),
      (id: number) => ({ id, language: "typescript", source: `const n: number = ${id}; n` }),
      (id: number) => js(id, 'require("fs")'),
      (id: number) => js(id, "return +* 1"),
      (id: number) => js(id, "1", { limits: { timeoutMs: -1 } }),
      () => "not a line",
      (id: number) => js(id, "return input", { input: { id, text: "é\u2028🎉" } }),
      (id: number) =>
        id % 250 === 8 ? js(id, "while (true);", { limits: { timeoutMs: 100 } }) : js(id, `({ id: ${id} })`),
      (id: number) => js(id, `return "x".repeat(${(id % 7) * 9000})`),
    ];
    const lines = Array.from({ length: 1000 }, (_, id) => kinds[id % kinds.length]?.(id));
    const { answers, code, stderr } = await runBatch(lines, "--concurrency", "2");
    expect(answers.map(({ id }) => id)).toEqual(lines.map((line, id) => (line === "not a line" ? null : id)));
    answers.forEach((answer, id) => {
      const kind = id % kinds.length;
      if (kind === 0) expect(answer).toMatchObject({ ok: true, result: id * 2 });
      if (kind === 1) expect(answer).toMatchObject({ status: "error", error: "Error", stdout: [String(id)], line: 1 });
      if (kind === 2) expect(answer).toMatchObject({ ok: true, result: id });
      if (kind === 3) expect(answer.status).toBe("denied");
      if (kind === 4) expect(answer).toMatchObject({ error: "SyntaxError", line: 1 });
      if (kind === 5 || kind === 6) expect(answer.error).toBe("InvalidLine");
      if (kind === 7) expect(answer).toMatchObject({ result: { id, text: "é\u2028🎉" } });
      if (kind === 8) expect(answer.status).toBe(id % 250 === 8 ? "timeout" : "ok");
      if (kind === 9) expect(answer).toMatchObject({ ok: true, result: "x".repeat((id % 7) * 9000) });
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});
