/**
 * `doctor`: what isolates a program on this machine, layer by layer, as it was probed a moment ago.
 * Must not say of anything that it is there which was not seen.
 */

import { isDeepStrictEqual } from "node:util";
import Table from "cli-table3";
import { SandboxError } from "../errors.ts";
import { printJson } from "../protocol/json.ts";
import type { JsonValue, Layer, Observation, ProbeAttempt, Sandbox, SandboxReport } from "../types.ts";
import { GUEST_ATTACKS, type GuestAttack } from "./attacks.ts";
import type { DoctorOptions } from "./command-options.ts";
import { EXIT, UsageError } from "./fault.ts";
import { formatText } from "./layout.ts";
import { toPrintable } from "./printable.ts";
import { openSandbox } from "./resources.ts";
import { createStyle, type Style } from "./style.ts";
import { NO_BORDERS, trimTable } from "./table.ts";

/** What became of one attack. */
interface Attacked {
  readonly by: "a program" | "a worker that was taken over";
  readonly title: string;
  readonly hasSucceeded: boolean;
  readonly detail: string;
}

function endsAsItMust({ ends, error, truncated, result }: GuestAttack, seen: Observation): boolean {
  if (!ends.includes(seen.status) || (error !== undefined && seen.error !== error)) return false;
  if (truncated === true && seen.truncated?.includes("stdout") !== true) return false;
  return result === undefined || isDeepStrictEqual(seen.result, result);
}

async function attackAsGuest(sandbox: Sandbox): Promise<Attacked[]> {
  const attacked: Attacked[] = [];
  // One after the other: the last ones look for what those before them left behind.
  for (const attack of GUEST_ATTACKS) {
    const { title, source, limits = {} } = attack;
    const seen = await sandbox.run({ language: "javascript", source, limits });
    const isRight = endsAsItMust(attack, seen);
    const detail = seen.ok
      ? `ran to its end and came to ${JSON.stringify(seen.result)}`
      : `ended as ${seen.status}: ${seen.message || seen.error}`;
    attacked.push({ by: "a program", title, hasSucceeded: !isRight, detail });
  }
  return attacked;
}

/** Python's files may be there and it may yet not run: a program says so. It starts workers of its own, here alone. */
async function tryPython(sandbox: Sandbox, engine: Layer): Promise<Layer> {
  if (engine.name !== "python" || !engine.active) return engine;
  try {
    const seen = await sandbox.run({ language: "python", source: "6 * 7", limits: { timeoutMs: 10_000 } });
    if (seen.result === 42)
      return { ...engine, probed: "inside and outside", detail: `a program ran on ${engine.detail}` };
    return {
      ...engine,
      active: false,
      isBroken: true,
      detail: `a program did not run: ${seen.status}, ${seen.message}`,
    };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return { ...engine, active: false, isBroken: true, detail: error.message };
  }
}

function asAttacked({ name, hasSucceeded, detail }: ProbeAttempt): Attacked {
  return { by: "a worker that was taken over", title: name, hasSucceeded, detail };
}

export function formatLayers(layers: readonly Layer[], style: Style): string[] {
  const width = style.columns - 32;
  // The table would cut off what is longer than a line, and of a path that is the file's name.
  const long = new RegExp(`\\S{${width - 2}}(?=\\S)`, "g");
  const table = new Table({
    chars: NO_BORDERS,
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [22, 6, width],
  });
  for (const { name, active, detail } of layers) {
    table.push([
      `  ${name}`,
      active ? style.green("yes") : style.yellow("no"),
      style.dim(toPrintable(detail).replace(long, "$&\n")),
    ]);
  }
  return trimTable(table);
}

/** Each thing to do once, with the layers that it would bring. */
function formatRemedies(layers: readonly Layer[], style: Style): string[] {
  const byRemedy = new Map<string, string[]>();
  for (const { name, active, remedy } of layers) {
    if (!active && remedy !== undefined) byRemedy.set(remedy, [...(byRemedy.get(remedy) ?? []), name]);
  }
  return [...byRemedy].flatMap(([remedy, names]) => [
    ...formatText(`For ${names.join(", ")}:`, style, "  "),
    ...formatText(remedy, style, "    "),
    "",
  ]);
}

/** What the system calls an attempt that came to nothing. */
const CODES: Readonly<Record<string, string>> = {
  EMPTY: "there was nothing to see",
  ENOENT: "there is no such file here",
  ENOSYS: "the kernel refuses that call",
  EPERM: "it is not permitted",
  EACCES: "it is not permitted",
  EROFS: "the files are read-only",
  ESRCH: "there is no such process",
  ENETUNREACH: "there is no network",
  ECONNREFUSED: "nobody is there",
  ETIMEDOUT: "nobody answered",
};

function formatAttacks(attacked: readonly Attacked[], style: Style): string[] {
  const rows = attacked.flatMap(({ by, title, hasSucceeded, detail }) => {
    const mark = hasSucceeded ? style.red("✗") : style.green("✓");
    const who = by === "a program" ? "" : "taken over: ";
    const words = detail in CODES ? `${CODES[detail]} (${detail})` : detail;
    const end = hasSucceeded ? "succeeded" : "held off";
    return [`  ${mark} ${end}: ${who}${title}`, ...formatText(words, style, "    ").map(style.dim)];
  });
  const succeeded = attacked.filter(({ hasSucceeded }) => hasSucceeded).length;
  const all = attacked.length;
  const told =
    succeeded === 0
      ? `All ${all} attacks failed.`
      : `${succeeded} of ${all} attacks succeeded, ${all - succeeded} failed.`;
  return ["", `  ${style.bold("Attacks")}`, "", ...rows, "", `  ${told}`, ""];
}

function formatReport(report: SandboxReport, style: Style): string[] {
  const { containment, workerNode, platform, summary, engines, layers, unavailable } = report;
  const others = unavailable.flatMap(({ name, reason, remedy }) =>
    formatText(`${name}: ${reason}. ${remedy}`, style, "    "),
  );
  return [
    "",
    `  ${style.bold(`Containment: ${containment}`)}   Workers run on Node ${workerNode}, ${platform}.`,
    "",
    ...formatText(summary, style, "  "),
    "",
    ...formatLayers(layers, style),
    "",
    ...formatLayers(engines, style),
    "",
    ...(others.length > 0 ? ["  Not to be had here:", ...others, ""] : []),
    ...formatRemedies([...engines, ...layers], style),
  ];
}

/** Reports, and where it was asked for attacks. */
export async function showDoctor(options: DoctorOptions): Promise<number> {
  // Whatever is missing is what it is here to say: that it warns of it, or refuses, would be in the way.
  const sandbox = await openSandbox(options, {
    workers: 1,
    standby: 0,
    python: { workers: 1, prepared: 1 },
    allowProcess: true,
  });
  const { exploited = [], ...seen } = await sandbox.report({ attacks: options.attacks === true });
  const report = { ...seen, engines: await Promise.all(seen.engines.map((engine) => tryPython(sandbox, engine))) };
  const attacked = options.attacks ? [...(await attackAsGuest(sandbox)), ...exploited.map(asAttacked)] : [];
  const names = report.layers.map(({ name }) => name);
  const unknown = options.require?.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`--require: there is no layer ${JSON.stringify(unknown)}; there are ${names.join(", ")}`);
  }
  const missing = (options.require ?? []).filter(
    (name) => !report.layers.some((layer) => layer.name === name && layer.active),
  );
  // A language that is not there may not be wanted; one that is there and does not work is a fault that would show later.
  const broken = report.engines.filter(({ isBroken }) => isBroken === true).map(({ name }) => name);
  const isWell = missing.length === 0 && broken.length === 0 && !attacked.some(({ hasSucceeded }) => hasSucceeded);
  if (options.json) {
    const whole = { ok: isWell, missing, ...report, ...(options.attacks ? { attacks: attacked } : {}) };
    process.stdout.write(`${printJson(whole as unknown as JsonValue)}\n`);
    return isWell ? EXIT.ok : EXIT.notOk;
  }
  const style = createStyle(process.stdout);
  const required = [
    ...missing.map((name) => `  ${style.red("✗")} ${name} is required and not there`),
    ...broken.map((name) => `  ${style.red("✗")} ${name} is there and does not work`),
  ];
  const lines = [
    ...formatReport(report, style),
    ...(options.attacks ? formatAttacks(attacked, style) : []),
    ...required,
  ];
  process.stdout.write(`${lines.join("\n").trimEnd()}\n\n`);
  return isWell ? EXIT.ok : EXIT.notOk;
}
