/**
 * `inspect`: what a program mentions, and what the policy says of it, rule by rule.
 * Must not run the program: only the inspector's parser and the policy look at it.
 */

import Table from "cli-table3";
import { TOOL_NAMES } from "../graph/tool-names.ts";
import type { Policy } from "../policy/evaluate.ts";
import { INSPECTED_PYTHON_MODULES } from "../policy/preset-names.ts";
import { reasonsToTell } from "../policy/reasons.ts";
import { printJson } from "../protocol/json.ts";
import type { Facts, Manifest } from "../types.ts";
import { languageOfFile } from "./arguments.ts";
import type { InspectOptions } from "./command-options.ts";
import { EXIT, UsageError } from "./fault.ts";
import { formatText } from "./layout.ts";
import { toOneLine, toPrintable } from "./printable.ts";
import { loadPolicy, openSandbox } from "./resources.ts";
import { readText } from "./source.ts";
import { createStyle, type Style } from "./style.ts";
import { NO_BORDERS, trimTable } from "./table.ts";

const NAMES_SHOWN = 40;

function listNames(names: readonly string[]): string {
  if (names.length === 0) return "–";
  const more = names.length > NAMES_SHOWN ? ` … and ${names.length - NAMES_SHOWN} more` : "";
  return toOneLine(names.slice(0, NAMES_SHOWN).join(", ")) + more;
}

function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}

/** Modules of Python whose functions may read whatever they like, as far as the inspector knows. */
function findUnknownModules({ language, imports }: Manifest): string[] {
  if (language !== "python") return [];
  const isKnown = (name: string) =>
    INSPECTED_PYTHON_MODULES.includes(name) || INSPECTED_PYTHON_MODULES.includes(name.split(".")[0] ?? "");
  return imports.filter((name) => !isKnown(name));
}

function describeCompleteness(manifest: Manifest): string {
  const { complete, syntaxError, undetermined } = manifest;
  if (syntaxError) return "no: it does not parse, so nothing could be listed";
  if (complete) return "yes";
  const unknown = findUnknownModules(manifest);
  // Which modules there are, and whether code is made, does not depend on what a module does.
  const isComputed = unknown.length === 0 || undetermined.includes("imports") || undetermined.includes("dynamicCode");
  const why = [
    ...(unknown.length > 0 ? [`what it does is not known: ${listNames(unknown)}`] : []),
    ...(isComputed ? ["names are computed"] : []),
  ].join("; ");
  return `no: ${why}${undetermined.length === 0 ? "" : ` (${undetermined.join(", ")})`}, so the lists may lack something`;
}

function formatManifest(manifest: Manifest, style: Style): string[] {
  const table = new Table({
    chars: NO_BORDERS,
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [22, style.columns - 24],
  });
  const { syntaxError } = manifest;
  const rows: [string, string][] = [
    ["language", manifest.dialect],
    [
      "size",
      [
        count(manifest.sourceChars, "character"),
        count(manifest.lines, "line"),
        `nesting ${manifest.nesting}`,
        count(manifest.loops, "loop"),
      ].join(", "),
    ],
    ["imports", listNames(manifest.imports)],
    ["globals", listNames(manifest.globals)],
    ["members", listNames(manifest.members)],
    ["private access", listNames(manifest.privateAccess)],
    ["dynamic code", listNames(manifest.dynamicCode)],
    ["sha-256", `${manifest.sha256.slice(0, 16)}…`],
  ];
  if (syntaxError)
    rows.push(["does not parse", `line ${syntaxError.line ?? "?"}: ${toPrintable(syntaxError.message)}`]);
  rows.push(["complete", describeCompleteness(manifest)]);
  for (const [name, value] of rows) table.push([style.dim(name), value]);
  return trimTable(table);
}

function formatRules(rules: ReturnType<Policy["explain"]>, style: Style): string[] {
  const table = new Table({
    head: ["", "rule", "says", "why"].map((title) => style.dim(title)),
    chars: NO_BORDERS,
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [4, 24, 8, style.columns - 38],
  });
  for (const { rule, effect, matched, why } of rules) {
    const mark = matched ? (effect === "allow" ? style.green("✓") : style.red("✗")) : style.dim("·");
    // What a rule would say had it matched is not what it says.
    table.push([mark, toOneLine(rule), matched ? effect : style.dim("–"), toOneLine(why)]);
  }
  return trimTable(table);
}

/** Prints manifest and decision of the program in `file` (standard input where absent). */
export async function inspectFile(file = "-", options: InspectOptions): Promise<number> {
  const language = options.language ?? languageOfFile(file);
  const source = await readText(file);
  const policy = await loadPolicy(options.policy);
  const sandbox = await openSandbox(options, { workers: 1, standby: 0 });
  if (!sandbox.languages.includes(language)) {
    throw new UsageError(
      `there is no inspector for ${language} in this version: use ${sandbox.languages.join(" or ")}`,
    );
  }
  const manifest = await sandbox.inspect({ language, source });
  const facts: Facts = {
    tool: TOOL_NAMES[language],
    language,
    source,
    manifest,
    identicalFailures: 0,
    threadRuns: 0,
    threadMs: 0,
  };
  const decision = policy.evaluate(facts);
  const rules = policy.explain(facts);
  if (options.json) process.stdout.write(`${printJson({ policy: policy.name, decision, rules, manifest })}\n`);
  else {
    const style = createStyle(process.stdout);
    const effect = decision.effect === "allow" ? style.green("allow") : style.red(decision.effect);
    const shown = [
      style.bold("The program mentions, at least:"),
      ...formatManifest(manifest, style),
      "",
      `${style.bold("Policy")} ${toOneLine(policy.name)}: ${effect}`,
      ...(manifest.syntaxError && decision.effect === "allow"
        ? formatText("It may run, and would fail at once: it does not parse.", style)
        : []),
      ...(decision.wouldBe === undefined ? [] : reasonsToTell(decision.wouldBe))
        .map(({ rule, message }) => `would be ${decision.wouldBe?.effect}: ${rule}: ${message}`)
        .flatMap((text) => formatText(text, style)),
      ...reasonsToTell(decision).flatMap(({ rule, message }) => formatText(`${rule}: ${message}`, style)),
      "",
      ...formatRules(rules, style),
    ];
    process.stdout.write(`${shown.join("\n")}\n`);
  }
  return decision.effect === "allow" ? EXIT.ok : EXIT.notOk;
}
