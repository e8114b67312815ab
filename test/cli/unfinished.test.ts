/**
 * A command that does not come to its end is never a success: where nothing is left that it could wait for, it says so and
 * ends with 2.
 */

import { describe, expect, it } from "vitest";
import { runCommand } from "./command.ts";
import { NEVER, UNFINISHED, withBody } from "./stuck-command.ts";

describe("a command that waits for what never comes", () => {
  it.each([
    [[]],
    [["what is the 100th prime?"]],
    [["run", "-"]],
    [["inspect", "-"]],
    [["batch"]],
    [["receipts", "verify", "-"]],
    [["graph"]],
    [["doctor", "--require", "seccomp"]],
    [["container", "build"]],
  ])("says that it did not finish, and ends with 2: %j", async (args) => {
    expect(await runCommand(args, withBody(NEVER))).toEqual(UNFINISHED);
  });

  it("is no success either where something else ends the process", async () => {
    expect(await runCommand(["batch"], withBody("process.exit();"))).toMatchObject({ code: 2, stdout: "" });
  });

  it("closes what it has opened", async () => {
    const body = `closeOnExit(async () => console.log("closed")); ${NEVER}`;
    expect(await runCommand(["batch"], withBody(body))).toEqual({ ...UNFINISHED, stdout: "closed\n" });
  });
});
