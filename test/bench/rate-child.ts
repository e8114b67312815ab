/**
 * A plain process that does what a worker's engine does and nothing else: no frames, no pool, no host. Started by
 * `rate.ts`, as many as there are workers; works only while it is asked to.
 */

import ivm from "isolated-vm";
import type { RunMessage } from "../../src/protocol/messages.ts";
import { createJavaScriptEngine } from "../../src/worker/engines/javascript.ts";
import { median } from "./statistics.ts";
import { EXPRESSION, expectAnswer, PROGRAM } from "./subject.ts";

export interface RateRequest {
  kind: "engine" | "bare";
  ms: number;
}

export interface RateReply {
  /** Null: ready to be asked. */
  kind: RateRequest["kind"] | null;
  runs: number;
  perSecond: number;
  /** Median of one run, and of forgetting it and making the next isolate. */
  runMs: number;
  renewMs: number;
}

const MESSAGE: RunMessage = {
  type: "run",
  id: "rate",
  language: "javascript",
  source: PROGRAM,
  input: null,
  timeoutMs: 1000,
  memoryMb: 64,
  stdoutBytes: 16 * 1024,
  stdoutLines: 1000,
  resultBytes: 64 * 1024,
  timerTurns: 10_000,
  now: 0,
  seed: 1,
  dynamicCode: true,
  globals: null,
  modules: null,
};
const OUTPUT = { line: () => {}, part: () => {}, truncated: () => {} };
const engine = createJavaScriptEngine();

const steps: Record<RateRequest["kind"], { run(): void; renew(): void }> = {
  engine: {
    run: () => expectAnswer(engine.run(MESSAGE, OUTPUT).result ?? ""),
    renew: () => engine.renew(),
  },
  bare: {
    run() {
      const isolate = new ivm.Isolate({ memoryLimit: MESSAGE.memoryMb });
      expectAnswer(String(isolate.createContextSync().evalSync(EXPRESSION, { timeout: MESSAGE.timeoutMs })));
      isolate.dispose();
    },
    renew: () => {},
  },
};

function work({ kind, ms }: RateRequest): RateReply {
  const { run, renew } = steps[kind];
  const runMs: number[] = [];
  const renewMs: number[] = [];
  const started = performance.now();
  let now = started;
  while (now < started + ms) {
    const begun = now;
    run();
    const answered = performance.now();
    renew();
    now = performance.now();
    runMs.push(answered - begun);
    renewMs.push(now - answered);
  }
  return {
    kind,
    runs: runMs.length,
    perSecond: (runMs.length * 1000) / (now - started),
    runMs: median(runMs),
    renewMs: median(renewMs),
  };
}

process.on("message", (request: RateRequest) => process.send?.(work(request)));
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.send?.({ kind: null, runs: 0, perSecond: 0, runMs: 0, renewMs: 0 } satisfies RateReply);
