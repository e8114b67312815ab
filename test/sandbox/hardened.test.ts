/**
 * What `hardened` refuses, and with which words. What its workers are is seen in hardened.long.test.ts.
 */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { copyCheckout } from "../fixtures/checkout.ts";
import { describeLauncher } from "../fixtures/launchers.ts";
import { PATIENT } from "../fixtures/use-sandbox.ts";

describe("hardened", () => {
  it("is refused where there is no containment, with what to do", async () => {
    const start = createSandbox({ ...PATIENT, hardened: true, containment: "process" });
    await expect(start).rejects.toMatchObject({ code: "CONTAINMENT_UNAVAILABLE" });
    await expect(start).rejects.toThrow(/hardened: expected containment auto, bubblewrap or container, got process/);
  });

  it("is one run per worker, and says so where another number is asked for", async () => {
    await expect(createSandbox({ hardened: true, runsPerWorker: 2 })).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
      message: "createSandbox: runsPerWorker: expected 1 with hardened, got 2",
    });
  });

  describeLauncher("bubblewrap", () => {
    it("runs from a checkout, whose workers are JavaScript", async () => {
      await using sandbox = await createSandbox({ ...PATIENT, hardened: true, containment: "bubblewrap", workers: 1 });
      expect(await sandbox.run({ language: "javascript", source: "6 * 7" })).toMatchObject({ ok: true, result: 42 });
    });

    it("says that it cannot run from TypeScript, and what to do", async () => {
      const folder = copyCheckout("src", "package.json");
      const url = pathToFileURL(join(folder, "src/sandbox/sandbox.ts")).href;
      const copy = (await import(url)) as { createSandbox: typeof createSandbox };
      const start = copy.createSandbox({ ...PATIENT, hardened: true, containment: "bubblewrap" });
      await expect(start.then(() => "started")).rejects.toMatchObject({
        code: "ENGINE_UNAVAILABLE",
        message: expect.stringMatching(/hardened.*npm run build/),
      });
    });
  });
});
