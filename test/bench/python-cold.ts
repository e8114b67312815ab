/**
 * A host process from its start to its first Python answer, in milliseconds on stdout.
 * Started by the benchmark; does nothing else.
 */

import { createSandbox } from "../../src/sandbox/index.ts";

const sandbox = await createSandbox({ containment: "process", workers: 1, standby: 0 });
const { result } = await sandbox.run({ language: "python", source: "6 * 7" });
const ms = performance.now();
await sandbox.close();
if (result !== 42) throw new Error("a wrong answer");
process.stdout.write(String(ms));
