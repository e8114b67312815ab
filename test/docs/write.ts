/** Writes the generated parts into the README: `npm run docs`. */

import { readFileSync, writeFileSync } from "node:fs";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { fillSections, makeSections } from "./sections.ts";

const path = new URL("../../README.md", import.meta.url);
const sandbox = await createSandbox({ workers: 1, standby: 0 });
writeFileSync(path, fillSections(readFileSync(path, "utf8"), makeSections(sandbox)));
await sandbox.close();
