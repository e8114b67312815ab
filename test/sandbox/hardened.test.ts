/**
 * What `hardened` refuses, and with which words. What its workers are is seen in hardened.long.test.ts.
 */

import { describe, expect, it } from "vitest";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { describeLauncher } from "../fixtures/launchers.ts";
import { PATIENT } from "../fixtures/use-sandbox.ts";

describe("hardened", () => {
  it("is refused where there is no containment, with what to do", async () => {
    const start = createSandbox({ ...PATIENT, hardened: true, containment: "process" });
    await expect(start).rejects.toMatchObject({ code: "CONTAINMENT_UNAVAILABLE" });
    await expect(start).rejects.toThrow(/hardened.*bubblewrap/s);
  });

  it("is one run per worker, and says so where another number is asked for", async () => {
    await expect(createSandbox({ hardened: true, runsPerWorker: 2 })).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
      message: "createSandbox: runsPerWorker: expected 1 with hardened, got 2",
    });
  });

  describeLauncher("bubblewrap", () => {
    it("says that it cannot run from a checkout's TypeScript, and what to do", async () => {
      await expect(createSandbox({ ...PATIENT, hardened: true, containment: "bubblewrap" })).rejects.toMatchObject({
        code: "ENGINE_UNAVAILABLE",
        message: expect.stringMatching(/hardened.*npm run build/),
      });
    });
  });
});
