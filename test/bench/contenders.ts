/**
 * Other ways to run one program, each a call that starts from nothing and checks its answer: what people reach for
 * first. None of them is a sandbox of the same strength.
 */

import { execFileSync, spawn } from "node:child_process";
import { Worker } from "node:worker_threads";
import { getQuickJS } from "quickjs-emscripten";
import { EXPRESSION, expectAnswer } from "./subject.ts";

export interface Contender {
  name: string;
  /** Null where this machine does not have it. */
  call: (() => Promise<void>) | null;
  /** Calls in one round, so that slow ones do not take the whole run. */
  callsPerRound: number;
}

function runProcess(path: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { env: {}, stdio: ["ignore", "pipe", "ignore"] });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    child.once("error", reject);
    child.once("close", () => settle(resolve, reject, printed));
  });
}

function settle(resolve: () => void, reject: (cause: unknown) => void, answer: string): void {
  try {
    expectAnswer(answer);
    resolve();
  } catch (cause) {
    reject(cause);
  }
}

const THREAD = `const { parentPort, workerData } = require("node:worker_threads");
parentPort.postMessage(require("node:vm").runInNewContext(workerData, {}, { timeout: 1000 }));`;

function runThread(): Promise<void> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(THREAD, { eval: true, workerData: EXPRESSION, env: {} });
    thread.once("error", reject);
    thread.once("message", (answer: string) => {
      void thread.terminate();
      settle(resolve, reject, answer);
    });
  });
}

/** The interpreter itself, not a shim that looks for one at every call. */
function findPython(): string | null {
  try {
    const args = ["-c", "import sys; print(sys.executable)"];
    return execFileSync("python3", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() || null;
  } catch {
    return null;
  }
}

export async function listContenders(workerNode: string): Promise<Contender[]> {
  const quickjs = await getQuickJS();
  const python = findPython();
  const pythonArgs = ["-c", "import json; print(json.dumps([x * 2 for x in [1, 2, 3]], separators=(',', ':')))"];
  return [
    {
      name: "a node process per call",
      callsPerRound: 5,
      call: () => runProcess(workerNode, ["-e", `console.log(${EXPRESSION})`]),
    },
    { name: "worker_threads with vm per call", callsPerRound: 8, call: runThread },
    {
      name: "quickjs-emscripten in process, a context per call",
      callsPerRound: 30,
      call: async () => {
        using context = quickjs.newContext();
        using value = context.unwrapResult(context.evalCode(EXPRESSION));
        expectAnswer(context.getString(value));
      },
    },
    {
      name: "a python3 process per call",
      callsPerRound: 5,
      call: python === null ? null : () => runProcess(python, pythonArgs),
    },
  ];
}
