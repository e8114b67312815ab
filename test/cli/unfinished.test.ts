/**
 * A command that does not come to its end is never a success: where nothing is left that it could wait for, it says so and
 * ends with 2; where what it opened does not close, it ends with the code that it had come to.
 */

import { describe, expect, it } from "vitest";
import { collect, type Ended, runCommand, startCommand } from "./command.ts";

const HOOKS = new URL("../fixtures/stuck-commands.mjs", import.meta.url);

const stuck = (body: string) => ({ env: { NODE_OPTIONS: `--import=${HOOKS}`, STUCK_COMMAND: body } });

const UNFINISHED: Ended = {
  code: 2,
  signal: null,
  stdout: "",
  stderr: "sallyport: the command did not finish: nothing was left for it to wait for\n",
};

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
    expect(await runCommand(args, stuck("await new Promise(() => {});"))).toEqual(UNFINISHED);
  });

  it("closes what it has opened", async () => {
    const body = 'closeOnExit(async () => console.log("closed")); await new Promise(() => {});';
    expect(await runCommand(["batch"], stuck(body))).toEqual({ ...UNFINISHED, stdout: "closed\n" });
  });
});

describe("a command that has opened what never closes", () => {
  const NEVER_CLOSES = "closeOnExit(() => new Promise(() => {}));";

  it.each([0, 1])("ends with the code that it has come to: %i", async (code) => {
    const ended = await runCommand(["doctor"], stuck(`${NEVER_CLOSES} return ${code};`));
    expect(ended).toEqual({ code, signal: null, stdout: "", stderr: "" });
  });

  it("and waits for what never comes ends with 2", async () => {
    expect(await runCommand(["doctor"], stuck(`${NEVER_CLOSES} await new Promise(() => {});`))).toEqual(UNFINISHED);
  });

  it.runIf(process.platform !== "win32")("ends with the code of the signal that ends it", async () => {
    const body = `const timer = setInterval(() => {}, 1000);
      closeOnExit(() => { clearInterval(timer); return new Promise(() => {}); });
      console.log("open");
      await new Promise(() => {});`;
    const child = startCommand(["doctor"], stuck(body));
    const ended = collect(child);
    child.stdout.once("data", () => child.kill("SIGINT"));
    expect(await ended).toEqual({ code: 130, signal: null, stdout: "open\n", stderr: "" });
  });
});
