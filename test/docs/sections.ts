/**
 * The parts of the README that are made from the code: the drawing, the limits, the faults, the presets.
 * `npm run docs` writes them into the file; a test compares.
 */

import { ERROR_CODES } from "../../src/errors.ts";
import { createCodeExecutionGraph } from "../../src/graph/workflow.ts";
import { LIMITS } from "../../src/limits.ts";
import { policyJsonSchema } from "../../src/policy/document.ts";
import { PRESETS } from "../../src/policy/presets.ts";
import type { Sandbox } from "../../src/types.ts";

function drawAgent(sandbox: Sandbox): string {
  const model = () => {
    throw new Error("a drawing asks no model");
  };
  const drawing = createCodeExecutionGraph({ sandbox, model }).getGraph().drawMermaid({ withStyles: false });
  return `\`\`\`mermaid\n${drawing.replaceAll("&nbsp;", "").replaceAll("\t", "  ").trim()}\n\`\`\``;
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function tabulateLimits(): string {
  const rows = Object.entries(LIMITS).map(([name, row]) => [
    `\`${name}\``,
    row.unit,
    row.default.toLocaleString("en-US"),
    row.min.toLocaleString("en-US"),
    row.max.toLocaleString("en-US"),
    row.enforcedBy,
    row.meaning,
  ]);
  return table(["limit", "unit", "default", "min", "max", "enforced by", "bounds"], rows);
}

function tabulateErrors(): string {
  return table(
    ["code", "meaning, and what survives"],
    Object.entries(ERROR_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]),
  );
}

/** One rule or key a line: short enough to read, complete enough to copy. */
function printDocument(document: object): string {
  const { rules, ...head } = document as { rules: object[] };
  const lines = Object.entries(head).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},`);
  const printed = rules.map((rule) => `    ${JSON.stringify(rule)}`).join(",\n");
  return `\`\`\`json\n{\n${lines.join("\n")}\n  "rules": [\n${printed}\n  ]\n}\n\`\`\``;
}

function printPresets(): string {
  return [...PRESETS.values()]
    .map(
      (document) =>
        `<details><summary><code>${document.name}</code></summary>\n\n${printDocument(document)}\n\n</details>`,
    )
    .join("\n\n");
}

/** Every generated part, by the name of its markers. */
export function makeSections(sandbox: Sandbox): ReadonlyMap<string, string> {
  return new Map([
    ["graph", drawAgent(sandbox)],
    ["limits", tabulateLimits()],
    ["errors", tabulateErrors()],
    ["presets", printPresets()],
  ]);
}

/** The text with every generated part put between its markers. @throws Error where a marker is missing */
export function fillSections(text: string, sections: ReadonlyMap<string, string>): string {
  return [...sections].reduce((filled, [name, content]) => {
    const [before, rest] = filled.split(`<!-- ${name} -->\n`);
    const after = rest?.split(`<!-- /${name} -->`)[1];
    if (before === undefined || after === undefined) throw new Error(`the README has no markers for ${name}`);
    return `${before}<!-- ${name} -->\n\n${content}\n\n<!-- /${name} -->${after}`;
  }, text);
}

/** The schema of a policy document as it is shipped: one text, made from the same zod schema that checks documents. */
export function printSchema(): string {
  return `${JSON.stringify(policyJsonSchema(), null, 2)}\n`;
}
