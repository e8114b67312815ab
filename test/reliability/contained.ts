/**
 * Hostile programs through the real command, each with a harmless one right behind it, and the conditions on every line
 * that comes out. What is looked at is text on a pipe: nothing of the product judges itself here.
 */

import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Observation, Status } from "../../src/types.ts";
import { collect, startCommand } from "../cli/command.ts";
import type { CorpusProgram } from "./corpus.ts";
import { SOURCE_CHARS } from "./corpus.ts";
import type { Containment } from "./effort.ts";

const CANARY = "canary-7c1d90ab-host-secret";
/** From the limit to the latest end that counts as in time. */
const LATE_MS = 500;
export const HARMLESS_TIMEOUT_MS = 50;
const MAX_LINE_CHARS = 260_000;
const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const HOST_TEXTS = [PROJECT, `${homedir()}/`, "node_modules", "file:///", "node:internal", "root:x:0:0"];
const RAW_CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const STATUSES: readonly Status[] = [
  ...(["ok", "rejected", "denied", "error", "timeout", "memory_limit", "output_limit", "crashed"] as const),
  ...(["queue_timeout", "cancelled", "unavailable"] as const),
];

export interface Contained {
  programs: number;
  contained: number;
  /** What was wrong, by program. */
  faults: string[];
  /** Harmless programs that ran out of their short limit: late, but truly told. */
  late: number;
  overLimitMs: number;
  statuses: Partial<Record<Status, number>>;
}

interface Answer extends Observation {
  id: string;
}

/** What is wrong with a line, whatever the program was. */
function faultsOfLine(text: string, { ok, status, usage }: Answer, timeoutMs: number): string[] {
  const shown = text.replace(/"id":"[^"]*"/, "");
  return [
    ...(ok === (status === "ok") && STATUSES.includes(status) ? [] : [`status ${status}`]),
    ...(text.includes(CANARY) ? ["the canary"] : []),
    ...HOST_TEXTS.filter((hostText) => shown.includes(hostText)).map((hostText) => `host text ${hostText}`),
    ...(RAW_CONTROL.test(text) ? ["raw control characters"] : []),
    ...(text.length > MAX_LINE_CHARS ? [`a line of ${text.length} characters`] : []),
    ...(usage.wallMs > timeoutMs + LATE_MS ? [`${usage.wallMs} ms of ${timeoutMs}`] : []),
  ];
}

/** Runs all of them under one launcher. `answer` makes the harmless program behind each, by its number. */
export async function containAll(
  programs: readonly CorpusProgram[],
  containment: Containment,
  harmless: (index: number) => { source: string; result: number },
): Promise<Contained> {
  const environment = { OPENAI_API_KEY: CANARY, SALLYPORT_SECRET: CANARY };
  const flags = ["batch", "--policy", "allow-all", "--concurrency", "2", "--containment", containment];
  const child = startCommand(flags, { env: environment });
  const ended = collect(child);
  for (const [index, { source, language, timeoutMs }] of programs.entries()) {
    const hostile = { id: `${index}`, language, source, limits: { sourceChars: SOURCE_CHARS, timeoutMs } };
    const after = {
      id: `${index}/after`,
      language,
      source: harmless(index).source,
      limits: { timeoutMs: HARMLESS_TIMEOUT_MS },
    };
    child.stdin.write(`${JSON.stringify(hostile)}\n${JSON.stringify(after)}\n`);
  }
  child.stdin.end();
  const { code, stdout } = await ended;
  const answers = new Map<string, { answer: Answer; text: string }>();
  const seen: Contained = {
    programs: programs.length,
    contained: 0,
    faults: [],
    late: 0,
    overLimitMs: 0,
    statuses: {},
  };
  if (code !== 0) seen.faults.push(`the command ended with ${code}`);
  for (const text of stdout.split("\n").filter(Boolean)) {
    const answer = JSON.parse(text) as Answer;
    if (answers.has(answer.id)) seen.faults.push(`${answer.id}: answered twice`);
    answers.set(answer.id, { answer, text });
  }
  for (const [index, { name, status, timeoutMs }] of programs.entries()) {
    const faults: string[] = [];
    const hostile = answers.get(`${index}`);
    if (hostile) {
      const { answer, text } = hostile;
      faults.push(...faultsOfLine(text, answer, timeoutMs));
      if (status && !status.includes(answer.status)) faults.push(`status ${answer.status} is not true`);
      seen.statuses[answer.status] = (seen.statuses[answer.status] ?? 0) + 1;
      seen.overLimitMs = Math.max(seen.overLimitMs, answer.usage.wallMs - timeoutMs);
    } else faults.push("no observation");
    const after = answers.get(`${index}/after`);
    if (!after) faults.push("no observation of the harmless program");
    else if (after.answer.status === "timeout") seen.late++;
    else if (after.answer.result !== harmless(index).result) faults.push(`harmless: ${after.text.slice(0, 200)}`);
    else faults.push(...faultsOfLine(after.text, after.answer, HARMLESS_TIMEOUT_MS));
    if (faults.length === 0) seen.contained++;
    else seen.faults.push(`${name}: ${faults.join(", ")}`);
  }
  return seen;
}
