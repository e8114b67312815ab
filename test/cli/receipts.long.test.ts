/**
 * `--receipts` and `receipts verify`, as a person calls them.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Receipt } from "../../src/types.ts";
import { collect, cpuTicksOfChildren, parseLines, runCommand, startCommand } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "sallyport-receipts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("receipts verify", () => {
  it("holds what run has written, and finds a changed line and a cut end", async () => {
    const path = join(folder, "receipts.jsonl");
    for (const source of ["6 * 7", "eval('1')"]) {
      await runCommand(["run", "--receipts", path], { stdin: source });
    }
    const whole = await runCommand(["receipts", "verify", path]);
    expect(whole).toMatchObject({ code: 0, stdout: expect.stringMatching(/^2 lines hold\nhead: [0-9a-f]{64}\n/) });
    const head = /head: (\w+)/.exec(whole.stdout)?.[1] ?? "";
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");

    writeFileSync(path, `${lines[0]}\n`);
    const cut = await runCommand(["receipts", "verify", path, "--head", head]);
    expect(cut).toMatchObject({ code: 1, stdout: expect.stringContaining("cut off at the end") });

    writeFileSync(path, `${lines[0]?.replace('"allow"', '"deny"')}\n${lines[1]}\n`);
    const changed = await runCommand(["receipts", "verify", path, "--json"]);
    expect(changed.code).toBe(1);
    expect(JSON.parse(changed.stdout)).toMatchObject({ ok: false, count: 0, broken: { line: 1 } });
  });

  it("of a file that is not there is wrong use", async () => {
    const ended = await runCommand(["receipts", "verify", join(folder, "nothing")]);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/cannot read .*: there is no such file\n$/) });
    const absent = join(folder, "no folder", "receipts.jsonl");
    const unwritten = await runCommand(["run", "--receipts", absent], { stdin: "1" });
    expect(unwritten).toMatchObject({ code: 2, stderr: expect.stringMatching(/: there is no such folder\n$/) });
  });

  it("shows what a stranger wrote into a file in one line", async () => {
    const path = join(folder, "strange.jsonl");
    writeFileSync(path, `${JSON.stringify({ v: 1, n: "\n9 lines hold\u001b[2J", previous: "" })}\n`);
    const { code, stdout } = await runCommand(["receipts", "verify", path]);
    expect({ code, lines: stdout.split("\n").length }).toEqual({ code: 1, lines: 3 });
    expect(stdout).toContain("\\u000a9 lines hold\\u001b[2J");
  });

  it("takes a head as it was printed, and nothing else for one", async () => {
    const ended = await runCommand(["receipts", "verify", join(folder, "receipts.jsonl"), "--head", "abc"]);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining("64 characters") });
  });
});

const js = (id: unknown, source: string, rest: object = {}) => ({ id, language: "javascript", source, ...rest });
const toInput = (lines: readonly unknown[]) => `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
const readReceipts = (path: string) =>
  parseLines(readFileSync(path, "utf8")).map(({ receipt }) => receipt as unknown as Receipt);
/** Workers that have used more processor time than any start takes. */
const countBusy = (pid: number) => cpuTicksOfChildren(pid).filter((ticks) => ticks > 120).length;

describe("batch --receipts", () => {
  it("writes one for every line that is a call, and none for a line that is none", async () => {
    const path = join(folder, "batch.jsonl");
    const stdin = toInput([
      js("good", "6 * 7"),
      js("denied", 'require("os")'),
      js(7, 'throw new Error("canary-77")'),
      js("long", "x".repeat(5000)),
      "no line",
      { id: "p", language: "python", source: "1 + 1" },
    ]);
    const ended = await runCommand(["batch", "--receipts", path, "--concurrency", "1"], { stdin });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const sha256 = createHash("sha256").update("6 * 7").digest("hex");
    const ran = {
      decision: "allow",
      usage: { wallMs: expect.any(Number) },
      layers: expect.arrayContaining(["isolate"]),
    };
    const javascript = { tool: "run_javascript_sandboxed", language: "javascript", policy: "standard", turn: 1 };
    expect(readReceipts(path)).toMatchObject([
      { callId: "good", ...javascript, ...ran, status: "ok", sourceSha256: sha256, engineSha256: sha256 },
      { callId: "denied", status: "denied", decision: "deny", rules: ["imports-javascript"], usage: null, layers: [] },
      { callId: "7", ...ran, status: "error" },
      { callId: "long", ...javascript, status: "rejected", decision: null, engineSha256: null, usage: null },
      { callId: "p", tool: "run_python_sandboxed", language: "python", ...ran, status: "ok" },
    ]);
    expect(readFileSync(path, "utf8")).not.toContain("canary-77");
    const verified = await runCommand(["receipts", "verify", path]);
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^5 lines hold\n/) });
  });

  it("goes on with a chain that is there, whatever runs at the same time, and keys it", async () => {
    const path = join(folder, "beside.jsonl");
    const env = { SALLYPORT_RECEIPT_KEY: "a secret" };
    const lines = Array.from({ length: 60 }, (_, id) =>
      id % 10 === 3 ? js(id, "while (true);", { limits: { timeoutMs: 50 } }) : js(id, `return ${id}`),
    );
    for (const _ of [1, 2]) {
      const ended = await runCommand(["batch", "--receipts", path, "--concurrency", "4"], {
        stdin: toInput(lines),
        env,
      });
      expect(ended).toMatchObject({ code: 0, stderr: "" });
    }
    const verified = await runCommand(["receipts", "verify", path], { env });
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^120 lines hold\n/) });
    const ids = readReceipts(path).map(({ callId }) => callId);
    expect(new Set(ids)).toEqual(new Set(lines.map(({ id }) => String(id))));
    expect(await runCommand(["receipts", "verify", path])).toMatchObject({ code: 1 });
  });

  it("refuses a file that holds no receipts before anything runs, and leaves it as it was", async () => {
    const path = join(folder, "a.py");
    writeFileSync(path, "print(1)\n");
    const ended = await runCommand(["batch", "--receipts", path], { stdin: toInput([js("a", "1")]) });
    expect(ended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/--receipts .*a\.py.*line 1/) });
    expect(readFileSync(path, "utf8")).toBe("print(1)\n");
  });
});

describe.runIf(process.platform === "linux")("receipts of what a signal has ended", () => {
  it("are written by batch for every program that was under way", async () => {
    const path = join(folder, "ended.jsonl");
    const child = startCommand(["batch", "--receipts", path, "--containment", "process", "--concurrency", "2"]);
    const ended = collect(child);
    child.stdin.write(toInput([js("done", "1")]));
    await vi.waitFor(() => expect(existsSync(path) && readReceipts(path)).toHaveLength(1), { timeout: 60_000 });
    const busy = { limits: { timeoutMs: 60_000 } };
    child.stdin.write(toInput([...["a", "b"].map((id) => js(id, "while (true);", busy)), js("waits", "1")]));
    await vi.waitFor(() => expect(countBusy(child.pid ?? 0)).toBe(2), { timeout: 60_000, interval: 200 });
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, stderr: "" });
    const receipts = readReceipts(path);
    expect(receipts[0]).toMatchObject({ callId: "done", status: "ok" });
    expect(
      receipts
        .slice(1)
        .map(({ callId, status }) => `${callId} ${status}`)
        .sort(),
    ).toEqual(["a cancelled", "b cancelled"]);
    expect(await runCommand(["receipts", "verify", path])).toMatchObject({ code: 0 });
  }, 120_000);

  it("is written by run", async () => {
    const path = join(folder, "run-ended.jsonl");
    const args = ["run", "--json", "--receipts", path, "--containment", "process", "--limit", "timeoutMs=60000", "-"];
    const child = startCommand(args);
    const ended = collect(child);
    child.stdin.end("while (true);");
    await vi.waitFor(() => expect(countBusy(child.pid ?? 0)).toBe(1), { timeout: 60_000, interval: 200 });
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(parseLines(stdout)).toMatchObject([{ status: "cancelled" }]);
    expect(readReceipts(path)).toMatchObject([{ status: "cancelled", callId: "call_1" }]);
  }, 120_000);
});

describe("--receipts where no call is made", () => {
  it.each([
    ["the tour", []],
    ["inspect", ["inspect", "-"]],
    ["doctor", ["doctor"]],
    ["container", ["container", "build"]],
    ["receipts verify", ["receipts", "verify", "x.jsonl"]],
  ])("is refused by %s", async (_, args) => {
    const path = join(folder, "unused.jsonl");
    const ended = await runCommand(["--receipts", path, ...args], { stdin: "1" });
    expect(ended).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^sallyport: --receipts: .* run, batch, graph .*\n$/),
    });
    expect(existsSync(path)).toBe(false);
  });

  it("is not offered either", async () => {
    expect((await runCommand(["inspect", "--help"])).stdout).not.toContain("--receipts");
    expect((await runCommand(["batch", "--help"])).stdout).toContain("--receipts");
  });
});
