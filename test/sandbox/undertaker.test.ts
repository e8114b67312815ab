/**
 * The shell that ends containers, with a program in the engine's place that writes down what it is asked: each container is
 * ended and then forgotten, once, and none that has ended.
 */

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createUndertaker, startUndertaker } from "../../src/sandbox/container/undertaker.ts";
import { findUndertaker } from "../fixtures/find-undertaker.ts";

const folder = mkdtempSync(join(tmpdir(), "sallyport-undertaker-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const [engine, log] = [join(folder, "engine"), join(folder, "log")];
writeFileSync(engine, `#!/bin/sh\necho "$*" >> ${log}\n`);
chmodSync(engine, 0o755);

/** What was asked of the engine about each container, in order. */
function asked(): Record<string, string[]> {
  const lines = readFileSync(log, "utf8").split("\n").filter(Boolean);
  return Object.groupBy(lines, (line) => line.slice(line.lastIndexOf(" ") + 1)) as Record<string, string[]>;
}

/** Forgotten after it was killed: what was never started cannot be killed. */
const endingOf = (name: string): string[] => [`kill --signal KILL ${name}`, `rm --force ${name}`];

describe.skipIf(process.platform === "win32")("the undertaker", () => {
  it("ends what is left, by a command each, and nothing that was dropped, seen or not", async () => {
    writeFileSync(log, "");
    const undertaker = startUndertaker({ path: engine }, "box-");
    for (const number of [1, 2, 3, 4]) undertaker.tell(`add ${number} 0`);
    undertaker.tell("drop 2");
    // A process that is there no more: what is seen is ended by its number, and never asked for by name.
    undertaker.tell("drop 3\nadd 3 4194303");
    undertaker.tell("drop 3");
    await undertaker.close();
    expect(asked()).toEqual({ "box-1": endingOf("box-1"), "box-4": endingOf("box-4") });
  });

  it("ends one at a word", async () => {
    writeFileSync(log, "");
    const undertaker = startUndertaker({ path: engine }, "box-");
    undertaker.tell("add 7 0");
    undertaker.tell("kill 7");
    await vi.waitFor(() => expect(asked()).toEqual({ "box-7": endingOf("box-7") }), { timeout: 10_000 });
    undertaker.tell("drop 7");
    await undertaker.close();
    expect(asked()).toEqual({ "box-7": endingOf("box-7") });
  });

  it.skipIf(process.platform !== "linux")(
    "that was killed has a successor, which ends all that is there, seen or not",
    async () => {
      writeFileSync(log, "");
      const prefix = `kin-${process.pid}-`;
      const undertaker = createUndertaker({ path: engine }, prefix);
      for (const number of [1, 2, 3]) undertaker.add(number);
      undertaker.located(2, 4194303);
      undertaker.drop(3);
      process.kill(findUndertaker(prefix), "SIGKILL");
      const first = Object.fromEntries([1, 2].map((number) => [`${prefix}${number}`, endingOf(`${prefix}${number}`)]));
      await vi.waitFor(() => expect(asked()).toEqual(first), { timeout: 10_000 });
      undertaker.add(4);
      await undertaker.close();
      expect(asked()).toEqual({ ...first, [`${prefix}4`]: endingOf(`${prefix}4`) });
    },
  );
});
