/**
 * Shows an observation to a person: how it ended, where, what was printed, what came out.
 * Everything the program had a say in is made printable; the words of the status are ours.
 */

import type { JsonValue, Observation, Status } from "../types.ts";
import { formatExcerpt } from "./excerpt.ts";
import { indentLines, toOneLine } from "./printable.ts";
import type { Style } from "./style.ts";

const SHORT_RESULT = 72;

const STATUS_WORDS: Readonly<Record<Status, string>> = {
  ok: "ok",
  rejected: "rejected before anything ran",
  denied: "denied by the policy, nothing ran",
  error: "the program failed",
  timeout: "stopped: it took too long",
  memory_limit: "stopped: it took too much memory",
  output_limit: "stopped: it returned too much",
  crashed: "stopped: its worker went down",
  queue_timeout: "not run: no worker was free in time",
  cancelled: "cancelled",
  unavailable: "not run: not available here",
};

/** Ended by itself; the others were ended. */
const FINISHED: ReadonlySet<Status> = new Set(["ok", "error"]);

/** Milliseconds as a person reads them. */
export function formatMs(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `status` in words, coloured where `style` has colour. */
export function formatStatus(status: Status, style: Style): string {
  const words = STATUS_WORDS[status];
  if (status === "ok") return style.green(words);
  return status === "error" || status === "rejected" || status === "denied" ? style.yellow(words) : style.red(words);
}

function formatResult(result: JsonValue): string[] {
  const short = JSON.stringify(result);
  const text = short.length <= SHORT_RESULT ? short : JSON.stringify(result, null, 2);
  return indentLines(text, "  ");
}

/** The observation of `source` as lines for a terminal. */
export function formatObservation(observation: Observation, source: string, style: Style): string[] {
  const { status, error, message, line, column, stdout, truncated, usage } = observation;
  const mark = observation.ok ? style.green("✓") : style.red("✗");
  const ms = formatMs(usage.wallMs);
  const ran = usage.wallMs > 0 ? style.dim(FINISHED.has(status) ? ` in ${ms}` : ` (ran for ${ms})`) : "";
  const shown = [`${mark} ${formatStatus(status, style)}${ran}`];
  if (error !== undefined) {
    const at = line === undefined ? "" : style.dim(`  line ${line}${column === undefined ? "" : `, column ${column}`}`);
    const [first = "", ...further] = indentLines(message ?? "", "    ");
    const told = message ? `: ${first.slice(4)}` : "";
    shown.push("", `  ${style.bold(toOneLine(error))}${told}${at}`, ...further);
    if (line !== undefined) {
      shown.push(...formatExcerpt(source, column === undefined ? { line } : { line, column }, style));
    }
  }
  if (stdout.length > 0) {
    const cut = truncated?.includes("stdout") ? style.dim(" (cut at the limit)") : "";
    shown.push("", `${style.bold("printed")}${cut}`, ...stdout.flatMap((text) => indentLines(text, "  ")));
  }
  if (observation.ok) shown.push("", style.bold("result"), ...formatResult(observation.result ?? null));
  return shown;
}
