/**
 * The command where Python's snapshot is damaged or gone: a Python program is told so, once and in one way, and everything
 * else goes on. A copy of the product, so that nobody else's snapshot is touched.
 */

import { createHash } from "node:crypto";
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { copyCheckout } from "../fixtures/checkout.ts";
import { parseLines, runCommand } from "./command.ts";

function copyProduct(spoil: (snapshot: string) => void): string {
  const folder = copyCheckout("dist", "package.json");
  spoil(join(folder, "dist/worker/guest/python/built/snapshot.bin"));
  return folder;
}

const CASES: [what: string, folder: string, words: RegExp, doctorCode: number][] = [
  ["damaged", copyProduct((path) => truncateSync(path, 1000)), /snapshot \S+ is damaged/, 1],
  ["gone", copyProduct((path) => rmSync(path)), /snapshot \S+ is missing/, 0],
];
const COMMON = ["--containment", "process"];

describe.each(CASES)("a snapshot that is %s", (what, folder, words, doctorCode) => {
  const main = join(folder, "dist/cli/main.js");

  it("answers batch's Python lines as unavailable, says why once, runs the others, and ends with 2", async () => {
    const receipts = join(folder, "receipts.jsonl");
    const lines = ["javascript", "python", "javascript", "python", "python", "typescript"].map((language, id) =>
      JSON.stringify({ id, language, source: "6 * 7" }),
    );
    const args = ["batch", ...COMMON, "--concurrency", "2", "--receipts", receipts];
    const { code, stdout, stderr } = await runCommand(args, { stdin: `${lines.join("\n")}\n`, main });
    expect(parseLines(stdout).map(({ id, status }) => `${id} ${status}`)).toEqual([
      "0 ok",
      "1 unavailable",
      "2 ok",
      "3 unavailable",
      "4 unavailable",
      "5 ok",
    ]);
    const [, told] = parseLines(stdout);
    expect(told).toMatchObject({ ok: false, error: "Unavailable", stdout: [], usage: { wallMs: 0 } });
    // An observation names no path of the host.
    expect(told?.message).toBe(
      "Python cannot start on this machine: the program did not run. Standard error says why.",
    );
    expect(stderr).toMatch(new RegExp(`^sallyport: Python cannot start: its ${words.source}.*npm run snapshot.*\\n$`));
    expect(stderr.match(/cannot start/g)).toHaveLength(1);
    expect(code).toBe(2);
    expect(parseLines(readFileSync(receipts, "utf8"))).toHaveLength(6);
  });

  it("answers graph's Python line, and runs the others", async () => {
    const line = (id: number, name: string) => {
      const call = { id: "c", type: "function", function: { name, arguments: '{"source":"6 * 7"}' } };
      return JSON.stringify({ id, messages: [{ role: "assistant", content: "", tool_calls: [call] }] });
    };
    const stdin = `${line(1, "run_python_sandboxed")}\n${line(2, "run_javascript_sandboxed")}\n`;
    const { code, stdout, stderr } = await runCommand(["graph", ...COMMON], { stdin, main });
    expect(parseLines(stdout)).toMatchObject([
      { id: 1, ok: false, status: "unavailable", error: "Unavailable", message: expect.stringMatching(/cannot start/) },
      { id: 2, outcome: { kind: "success" } },
    ]);
    expect(stderr).toMatch(words);
    expect(code).toBe(2);
  });

  it("is a fault of run that does not speak of other languages", async () => {
    const { code, stderr } = await runCommand(["run", "--language", "python", ...COMMON], { stdin: "1", main });
    expect(stderr).toMatch(/^sallyport: Python cannot start: its snapshot/);
    expect(code).toBe(2);
  });

  it(`ends doctor with ${doctorCode}`, async () => {
    const { code, stdout } = await runCommand(["doctor", "--json", ...COMMON], { main });
    expect(code).toBe(doctorCode);
    const [report] = parseLines(stdout);
    const broken = what === "damaged" ? { isBroken: true } : {};
    expect(report).toMatchObject({ ok: doctorCode === 0, missing: [], engines: [{}, { active: false, ...broken }] });
  });

  it("is said by doctor to be there and not to work, where it is there", async () => {
    const { stdout } = await runCommand(["doctor", ...COMMON], { main });
    expect(stdout.includes("python is there and does not work")).toBe(what === "damaged");
  });
});

describe("a snapshot that is whole, and no snapshot", () => {
  const folder = copyProduct((path) => {
    writeFileSync(path, "none");
    writeFileSync(path.replace(/bin$/, "sha256"), createHash("sha256").update("none").digest("hex"));
  });
  const main = join(folder, "dist/cli/main.js");

  it("is a fault of doctor, which runs a program", async () => {
    const { code, stdout } = await runCommand(["doctor", "--json", ...COMMON], { main });
    expect(parseLines(stdout)).toMatchObject([{ ok: false, engines: [{}, { active: false, isBroken: true }] }]);
    expect(code).toBe(1);
  });

  it.each([
    ["standard", "inspector of python programs"],
    ["allow-all", "Python worker"],
  ])("is a fault of run that says whose workers do not start, under %s", async (policy, whose) => {
    const args = ["run", "--language", "python", "--policy", policy, ...COMMON];
    const { code, stderr } = await runCommand(args, { stdin: "1", main });
    expect(stderr).toMatch(new RegExp(`^sallyport: No ${whose} can start: .*Error: `));
    expect(stderr).not.toMatch(/ at (?:async )?\S+:\d+:\d+/);
    expect(code).toBe(2);
  });
});
