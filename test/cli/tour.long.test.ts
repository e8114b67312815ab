/**
 * The tour under a policy that it was not written for: nothing is judged then, and it says so.
 */

import { expect, it } from "vitest";
import { runCommand } from "./command.ts";

it("is not checked under another policy, and says so", { timeout: 120_000 }, async () => {
  const { code, stdout } = await runCommand(["--policy", "strict"]);
  expect(stdout.replace(/\s+/g, " ")).toContain("not checked");
  expect(code).toBe(0);
});
