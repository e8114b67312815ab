/**
 * What the policy costs: a decision from facts, and the manifest of a program of 4,000 characters as the host waits for it.
 */

import { createPolicy } from "../../src/policy/evaluate.ts";
import type { Facts } from "../../src/types.ts";
import { atMost, type Row, row, showMs } from "./row.ts";
import { summarize, timeMs } from "./statistics.ts";
import { type Subject, scale, takeRounds } from "./subject.ts";

const WANTED_DECISION_P99_MS = 1;
const WANTED_MANIFEST_P50_MS = 2;
const SOURCE_CHARS = 4000;
const WARM_UP = 30;

/** Everyday statements, none of them like another program's, so that no manifest is a remembered one. */
function writeProgram(round: number): string {
  const line = (index: number) =>
    `const v${round}_${index} = [1, 2, ${index}].map((x) => x * ${round}).filter(Boolean);\n`;
  let source = "";
  for (let index = 0; source.length + 80 < SOURCE_CHARS; index++) source += line(index);
  return source.padEnd(SOURCE_CHARS);
}

export async function measureDecision(subject: Subject): Promise<Row[]> {
  const { sandbox } = subject;
  const policy = createPolicy("standard");
  const manifestMs: number[] = [];
  const decisionMs: number[] = [];
  for (const round of takeRounds(WARM_UP + scale(subject, 500, 100), 6000)) {
    const source = writeProgram(round);
    const request = { language: "javascript" as const, source };
    const inspected = await sandbox.inspect(request).then(async (manifest) => {
      const ms = await timeMs(() => sandbox.inspect({ ...request, source: `${source.slice(0, -1)};` }));
      return { manifest, ms };
    });
    const facts: Facts = {
      tool: "run_javascript_sandboxed",
      ...request,
      manifest: inspected.manifest,
      identicalFailures: 0,
      threadRuns: 0,
      threadMs: 0,
    };
    const started = performance.now();
    policy.evaluate(facts);
    const ended = performance.now();
    if (round < WARM_UP) continue;
    manifestMs.push(inspected.ms);
    decisionMs.push(ended - started);
  }
  const decision = summarize(decisionMs);
  const manifest = summarize(manifestMs);
  const show = ({ p50Ms, p99Ms }: typeof decision) => `p50 ${showMs(p50Ms)}, p99 ${showMs(p99Ms)}`;
  return [
    row(
      "a decision without the manifest, policy standard",
      show(decision),
      { ...decision },
      atMost(decision.p99Ms, WANTED_DECISION_P99_MS, `p99 at most ${WANTED_DECISION_P99_MS} ms`),
    ),
    row(
      `a manifest of ${SOURCE_CHARS} characters`,
      show(manifest),
      { ...manifest },
      atMost(manifest.p50Ms, WANTED_MANIFEST_P50_MS, `p50 at most ${WANTED_MANIFEST_P50_MS} ms`),
    ),
  ];
}
