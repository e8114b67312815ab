/**
 * The commands on a machine whose setpriv cannot tie a worker to its host, as macOS: there the loop has nothing but the
 * sandbox to live on, and a command that ended early would look like one that went well.
 */

import { describe, expect, it } from "vitest";
import { TOOL_NAMES } from "../../src/graph/tool-names.ts";
import { WITHOUT_SETPRIV } from "../fixtures/without-setpriv.ts";
import { type CommandOptions, parseLines, runCommand } from "./command.ts";
import { useFiles } from "./files.ts";

const PATIENCE_MS = 240_000;
const STUCK = 'console.log("stuck");\nArray.prototype.reverse.call({ length: 2 ** 53 - 1 });';

const write = useFiles();
const run = (args: string[], options: CommandOptions = {}) =>
  runCommand([...args, "--containment", "process"], { ...options, env: WITHOUT_SETPRIV });

describe("without setpriv", () => {
  it(
    "doctor says which required layer is missing, and ends with 1",
    async () => {
      const { code, stdout, stderr } = await run(["doctor", "--require", "seccomp"]);
      expect(stdout).toContain("seccomp is required and not there");
      if (process.platform !== "win32")
        expect(stdout.replace(/\s+/g, " ")).toContain("by a shell that waits beside it");
      expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    },
    PATIENCE_MS,
  );

  it("run tells of a program that nothing interrupts, and ends with 1", async () => {
    const { code, stdout, stderr } = await run(["run", "--json", await write("stuck.js", STUCK)]);
    expect(parseLines(stdout)).toMatchObject([{ ok: false, status: "timeout", stdout: ["stuck"] }]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  });

  it("run ends with 1 where Python does not end", async () => {
    const { code, stdout, stderr } = await run(["run", "--json", await write("endless.py", "while True:\n    pass\n")]);
    expect(parseLines(stdout)).toMatchObject([{ ok: false, status: "timeout" }]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  });

  it.each([[["batch", "--concurrency", "1"]], [["graph"]]])(
    "%j answers what comes after a program that nothing interrupts",
    async (args) => {
      const sources = [STUCK, "return 2", "return 3", "return 4"];
      const messagesOf = (source: string) => {
        const call = { name: TOOL_NAMES.javascript, arguments: JSON.stringify({ source }) };
        return [{ role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: call }] }];
      };
      const lines = sources.map((source, id) =>
        args[0] === "batch" ? { id, language: "javascript", source } : { id, messages: messagesOf(source) },
      );
      const stdin = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      const { code, stdout, stderr } = await run(args, { stdin });
      expect(stdout).toContain("timeout");
      expect(parseLines(stdout)).toHaveLength(sources.length);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    },
  );

  it(
    "the tour comes to its end",
    async () => {
      const { code, stdout, stderr } = await run([]);
      expect(stdout).toContain("stuck in a built-in");
      expect(stdout).not.toContain("not as the tour says");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    },
    PATIENCE_MS,
  );
});
