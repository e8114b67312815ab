/**
 * The row of a long time: nine tenths harmless, some that fail, a few bombs. Nothing is lost, memory and handles stay flat.
 */

import { readdirSync } from "node:fs";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { median } from "../bench/statistics.ts";
import { type Effort, judge, type Row } from "./effort.ts";
import { settledMb } from "./load.ts";

const CALLERS = 4;
const BOMBS = [
  "for (;;);",
  "[].reverse.call({ length: 2 ** 53 - 1 })",
  "const k = []; for (;;) k.push(new Array(1e5).fill(1.5))",
];
const FAILING = [
  "null.x",
  "let",
  "await new Promise(() => {})",
  "'x'.repeat(1e6)",
  "throw { get message() { for (;;); } }",
];
const ALLOWED_GROWTH_MB = 32;
const ALLOWED_HANDLES = 10;
const SAMPLES = 12;

const countHandles = (): number => readdirSync("/proc/self/fd").length + process.getActiveResourcesInfo().length;

export async function measureSoak({ chance, soakMinutes }: Effort): Promise<Row[]> {
  const totalMs = soakMinutes * 60_000;
  await using sandbox = await createSandbox({
    workers: 2,
    startTimeoutMs: 60_000,
    limits: { queueTimeoutMs: 600_000 },
  });
  const started = performance.now();
  const [memory, handles]: [number[], number[]] = [[], []];
  let asked = 0;
  let answered = 0;
  let wrong = 0;
  const isOn = () => performance.now() < started + totalMs;
  const call = async (): Promise<void> => {
    while (isOn()) {
      const draw = chance.below(100);
      const number = asked++;
      const source = draw < 90 ? `${number} + 1` : chance.pick(draw < 99 ? FAILING : BOMBS);
      const limits = { timeoutMs: draw < 99 ? 10_000 : 100 };
      const { ok, result } = await sandbox.run({ language: "javascript", source, limits });
      answered++;
      if (ok !== draw < 90 || (ok && result !== number + 1)) wrong++;
    }
  };
  const sample = async (): Promise<void> => {
    for (let taken = 1; taken <= SAMPLES; taken++) {
      const at = started + (totalMs * taken) / SAMPLES;
      while (performance.now() < at) await new Promise((done) => setTimeout(done, 20));
      memory.push(settledMb());
      handles.push(countHandles());
    }
  };
  await Promise.all([...Array.from({ length: CALLERS }, call), sample()]);
  // The first third is the warming up.
  const between = (samples: number[]) => median(samples.slice(-4)) - median(samples.slice(4, 8));
  const [growth, more] = [between(memory), between(handles)];
  return [
    judge(
      "soak",
      `${soakMinutes} minutes, harmless, failing and bombs 90/9/1: nothing lost, memory and handles flat`,
      `${answered} of ${asked} answered, ${wrong} wrong; memory ${growth >= 0 ? "+" : ""}${growth.toFixed(1)} MiB, handles ${more >= 0 ? "+" : ""}${more}`,
      {
        "nothing lost": answered === asked,
        "all right": wrong === 0,
        "memory flat": growth <= ALLOWED_GROWTH_MB,
        "handles flat": more <= ALLOWED_HANDLES,
      },
    ),
  ];
}
