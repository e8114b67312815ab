/**
 * A host that only waits for its sandbox lives until every promise has come to its end, and one that waits for nothing ends:
 * in every launcher, with setpriv and without, and where no process and no pipe holds the event loop by itself.
 */

import { describe, expect, it } from "vitest";
import { describeLauncher, LAUNCHER_NAMES } from "../fixtures/launchers.ts";
import { runHost } from "../fixtures/run-host.ts";
import { WITHOUT_SETPRIV } from "../fixtures/without-setpriv.ts";

/** A container takes seconds to start, and half a dozen of them are started one after the other. */
const PATIENCE_MS = 300_000;

const SETTLED = [
  ["created", false],
  ["stuck", "timeout"],
  ["replaced", "ok"],
  ["cancelled", "cancelled"],
  ["recycled", Array.from({ length: 5 }, () => "ok")],
  ["inspected", 1],
  ["reported", expect.stringMatching(/^by /)],
  ["closed", true],
];

for (const name of LAUNCHER_NAMES) {
  describeLauncher(name, () => {
    describe.each([
      ["as the machine is", {}],
      ["without setpriv", WITHOUT_SETPRIV],
    ])("%s", (_, env) => {
      it.each([
        ["every promise settles", "held"],
        ["every promise settles, whatever handles hold", "unheld"],
      ])("%s", { timeout: PATIENCE_MS }, async (_does, handles) => {
        const host = await runHost("waiting-host.ts", [name, handles], env);
        expect(host).toEqual({ code: 0, stderr: "", lines: SETTLED });
      });

      it("a sandbox that nobody waits for keeps no host alive", async () => {
        const host = await runHost("idle-host.ts", [name], env);
        expect(host).toMatchObject({ code: 0, stderr: "", lines: [{ ok: true, result: 1 }] });
      });
    });
  });
}

it.skipIf(process.platform === "win32")("without setpriv, workers come by the shell that waits", async () => {
  const { lines } = await runHost("waiting-host.ts", ["process"], WITHOUT_SETPRIV);
  expect(lines).toContainEqual(["reported", "by a shell that waits beside it"]);
});
