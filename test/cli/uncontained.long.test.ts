/**
 * The command where `auto` finds no containment: whoever keeps its stderr in a file is told as well, once. On a copy of the built
 * files that looks for bubblewrap nowhere, and of which nobody has built a container's image.
 */

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { copyCheckout } from "../fixtures/checkout.ts";

const folder = copyCheckout("dist", "package.json");
const launcher = join(folder, "dist/sandbox/launchers/bubblewrap.js");
const text = readFileSync(launcher, "utf8");
const blind = text.replace(/const PLACES = \[.*\]/, "const PLACES = []");
writeFileSync(launcher, blind);

function run(...args: string[]) {
  const command = [join(folder, "dist/cli/main.js"), "run", "--json", ...args, "-"];
  const { PATH, HOME } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, command, {
    input: "6 * 7",
    encoding: "utf8",
    env: { PATH, HOME },
  });
  return { printed: JSON.parse(stdout) as unknown, stderr };
}

describe("a machine without containment", () => {
  it("is said on stderr in one line, wherever that goes, and not in the JSON", () => {
    expect(blind).not.toBe(text);
    const { printed, stderr } = run();
    expect(printed).toMatchObject({ ok: true, result: 42 });
    expect(stderr).toMatch(/^sallyport: No containment: workers run as plain processes.* bubblewrap: .*\n$/);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it("is not said to whoever asks for plain processes", () => {
    expect(run("--containment", "process")).toMatchObject({ printed: { result: 42 }, stderr: "" });
  });
});
