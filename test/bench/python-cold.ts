/**
 * A host process from its start to its first Python answer, in milliseconds on stdout: with the built files, as a user's.
 * Started by the benchmark, whose set-up keeps them as new as the sources; does nothing else.
 */

import type * as Entry from "../../src/sandbox/index.ts";

const built = new URL("../../dist/sandbox/index.js", import.meta.url);
const { createSandbox } = (await import(built.href)) as typeof Entry;
const sandbox = await createSandbox({ containment: "process", workers: 1, standby: 0 });
const { result } = await sandbox.run({ language: "python", source: "6 * 7" });
const ms = performance.now();
await sandbox.close();
if (result !== 42) throw new Error("a wrong answer");
process.stdout.write(String(ms));
