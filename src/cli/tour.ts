/**
 * The tour: the threats first, then the real graph on real input, threat by threat; two scripted agents; the isolation report.
 * Needs no key and no network. Is its own check: exit 0 only where every observation is as the tour says.
 */

import type { Sandbox, SandboxReport } from "../types.ts";
import type { CommonOptions } from "./command-options.ts";
import { formatLayers } from "./doctor.ts";
import { EXIT } from "./fault.ts";
import { formatHeading, formatText, formatVerdict, wrapText } from "./layout.ts";
import { loadPolicy, openSandbox } from "./resources.ts";
import { isEndingBySignal } from "./shutdown.ts";
import { createStyle, type Style } from "./style.ts";
import { THREATS } from "./threats.ts";
import { TOUR_AGENTS } from "./tour-agents.ts";
import { PYTHON_STEPS } from "./tour-python.ts";
import { TOUR_STEPS } from "./tour-steps.ts";

/** Once a signal ends the tour, what it goes on to see is no part of it. */
function print(lines: readonly string[]): void {
  if (isEndingBySignal()) return;
  process.stdout.write(`${lines.join("\n")}\n`);
}

function formatThreats(style: Style): string[] {
  const classic = THREATS.filter((threat) => threat.classic);
  const others = THREATS.filter((threat) => !threat.classic).map(({ id }) => id);
  const shown = classic.flatMap(({ threat, defence }, index) => {
    const answer = wrapText(defence, style.columns - 8).map((line) => `     ${style.dim(line)}`);
    return [`  ${style.bold(String(index + 1))}  ${threat}`, ...answer, ""];
  });
  const rest = formatText(`And ${others.length} more: ${others.join(", ")}. SECURITY.md has them all.`, style, "  ");
  return [...shown, ...rest];
}

function formatIntroduction(style: Style): string[] {
  return [
    "",
    `  ${style.bold("Sallyport")}  code that a language model wrote, run without handing it the host`,
    "",
    "  A model's program is untrusted. Four things are feared of it first of all:",
    "",
    ...formatThreats(style),
    "",
    "  Below, programs that try them go through the real graph as tool calls:",
    "",
    `     ${style.cyan("model ─▶ validate ─▶ policy ─▶ execute ─▶ observe ─▶ model | END")}`,
    "",
    "  The line marked ◂ is the observation, exactly as the model gets it. Where it",
    '  says "policy off", the policy lets everything pass: the layers behind it show.',
  ];
}

function formatReport({ containment, workerNode, layers, summary }: SandboxReport, style: Style): string[] {
  return [
    `     Containment: ${containment}. Workers run on Node ${workerNode}.`,
    "",
    ...formatText(summary, style),
    "",
    ...formatLayers(layers, style),
  ];
}

function formatEnding(style: Style): string[] {
  const command = process.env.npm_lifecycle_event === "start" ? "npm -s start --" : "sallyport";
  const tries: [string, string][] = [
    [`${command} run program.ts`, "a program of your own"],
    [`${command} inspect program.ts`, "what it mentions, rule by rule"],
    [`${command} batch < lines.jsonl`, "many of them"],
    [`${command} doctor`, "what isolates them here"],
    [`${command} "What is the 100th prime?"`, "a real model (OPENAI_API_KEY)"],
    [`${command} --help`, "everything else"],
  ];
  return [
    `  ${style.bold("Try next")}`,
    "",
    ...tries.map(([call, what]) => `     ${style.cyan(call.padEnd(42))} ${style.dim(what)}`),
    "",
  ];
}

/** Python's interpreters load while JavaScript's steps are shown. What keeps them from it, their own first step says. */
function warmPython(sandbox: Sandbox): void {
  for (const warming of [
    sandbox.run({ language: "python", source: "" }),
    sandbox.inspect({ language: "python", source: "" }),
  ])
    warming.catch(() => {});
}

/** Shows the whole tour. */
export async function showTour(options: CommonOptions): Promise<number> {
  const style = createStyle(process.stdout);
  const chosen = await loadPolicy(options.policy);
  print(formatIntroduction(style));
  const policies = { chosen, allowAll: await loadPolicy("allow-all") };
  // Workers start while the graph is being loaded: together they are most of the wait for the first observation.
  const [sandbox, { showAgent, showStep }] = await Promise.all([
    openSandbox(options, { workers: 1, python: { workers: 1 } }, chosen),
    import("./tour-runner.ts"),
  ]);
  // The tour's words are about the standard policy: under another one its steps are shown, not judged.
  const isJudged = options.policy === "standard";
  const stage = { sandbox, policies, style, print, isJudged };
  const differences: string[] = [];
  let number = 0;
  for (const step of [...TOUR_STEPS, ...PYTHON_STEPS]) {
    if (isEndingBySignal()) return EXIT.notOk;
    number++;
    const difference = await showStep(stage, step, number);
    if (number === 1) warmPython(sandbox);
    if (difference !== undefined) differences.push(`${number} ${step.title}: ${difference}`);
  }
  for (const agent of TOUR_AGENTS) {
    if (isEndingBySignal()) return EXIT.notOk;
    number++;
    const difference = await showAgent(stage, agent, number);
    if (difference !== undefined) differences.push(`${number} ${agent.title}: ${difference}`);
  }
  print(["", formatHeading(number + 1, "What stands between such a program and this machine", "", style), ""]);
  print(formatReport(await sandbox.report(), style));
  if (differences.length > 0) {
    print(["", ...differences.flatMap((difference) => formatVerdict("", difference, style)), ""]);
    return EXIT.notOk;
  }
  const end = isJudged
    ? formatVerdict(`All ${number} observations are as this tour says.`, undefined, style)
    : formatText("Shown under another policy than the one that the tour is about: not checked.", style);
  print(["", ...end, "", ...formatEnding(style)]);
  return EXIT.ok;
}
