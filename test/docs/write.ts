/** Writes the generated parts into the README, and the JSON Schema of a policy: `npm run docs`. */

import { readFileSync, writeFileSync } from "node:fs";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { fillSections, makeSections, printSchema } from "./sections.ts";

const path = new URL("../../README.md", import.meta.url);
const sandbox = await createSandbox({ workers: 1, standby: 0 });
writeFileSync(path, fillSections(readFileSync(path, "utf8"), makeSections(sandbox)));
await sandbox.close();
writeFileSync(new URL("../../src/policy/policy.schema.json", import.meta.url), printSchema());
