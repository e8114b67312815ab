/**
 * `--receipts` and `receipts verify`, as a person calls them.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runCommand } from "./command.ts";

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

  it("takes a head as it was printed, and nothing else for one", async () => {
    const ended = await runCommand(["receipts", "verify", join(folder, "receipts.jsonl"), "--head", "abc"]);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining("64 characters") });
  });
});
