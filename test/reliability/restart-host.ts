/**
 * A host under one launcher whose workers never rest; says when it is at work, and waits to be killed at any moment.
 * Its workers carry a mark, by which the survivors are found.
 */

import type { SandboxOptions } from "../../src/options.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";

const [containment = "process", mark = "", way = ""] = process.argv.slice(2);
const source =
  way === "uninterruptible"
    ? "console.log(1); [].reverse.call({ length: 2 ** 53 - 1 })"
    : "for (let n = 0; n < 1e6; n++); 1";
const sandbox = await createSandbox({
  containment: containment as NonNullable<SandboxOptions["containment"]>,
  workers: 1,
  startTimeoutMs: 60_000,
  workerEnv: { RESTART_MARK: mark },
});
console.log(JSON.stringify({ isUp: true }));
for (;;) {
  await sandbox.run({
    language: "javascript",
    source,
    limits: { timeoutMs: way === "uninterruptible" ? 60_000 : 5000 },
    onStdout: () => console.log(JSON.stringify({ isOn: true })),
  });
}
