/**
 * Ordinary programs that a policy would not let run: `node test/policy/false-alarms.ts FILE…`, with files of JSON lines
 * `{id, language, source}`. Lists each with its rules; exits 1 where more than 1 in 100 is refused. Runs no program.
 */

import { readFileSync } from "node:fs";
import { TOOL_NAMES } from "../../src/graph/tool-names.ts";
import { createPolicy } from "../../src/policy/evaluate.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Language } from "../../src/types.ts";

interface Line {
  id: string;
  language: string;
  source: string;
}

const MOST_IN_100 = 1;
const policy = createPolicy(process.env.POLICY ?? "standard");
const sandbox = await createSandbox({ workers: 1, standby: 0 });
let isOver = false;
for (const file of process.argv.slice(2)) {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  let refused = 0;
  for (const line of lines) {
    const { id, language: named, source } = JSON.parse(line) as Line;
    const language: Language = named === "python" ? "python" : "javascript";
    const manifest = await sandbox.inspect({ language, source });
    const facts = {
      tool: TOOL_NAMES[language],
      language,
      source,
      manifest,
      identicalFailures: 0,
      threadRuns: 0,
      threadMs: 0,
    };
    const { effect, reasons } = policy.evaluate(facts);
    if (effect === "allow") continue;
    refused += 1;
    console.log(`${id}: ${reasons.map(({ rule }) => rule).join(", ")}`);
  }
  isOver ||= refused * 100 > lines.length * MOST_IN_100;
  console.log(`${policy.name}: ${refused} of ${lines.length} ordinary programs refused in ${file.split("/").at(-1)}`);
}
await sandbox.close();
process.exitCode = isOver ? 1 : 0;
