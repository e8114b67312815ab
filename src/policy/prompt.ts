/**
 * The description of a tool that the model is given, made from the policy and the limits.
 * Asks the policy itself what it refuses, so that what is told is what is enforced; at most 1,200 characters.
 */

import type { LimitName } from "../limits.ts";
import type { Language } from "../types.ts";
import type { Policy } from "./evaluate.ts";
import { type LearnedRules, learnRules } from "./learn-rules.ts";

export const MAX_DESCRIPTION_CHARS = 1200;

type Limits = Readonly<Record<LimitName, number>>;

const LANGUAGE_TEXTS = {
  javascript: {
    purpose:
      "Runs a JavaScript program (ES2025; TypeScript is accepted) in a sandbox and answers with its value and output.",
    absent: "There is no network, no file system, no process, no require, no DOM.",
    computed: "Computed names such as obj[key] are refused, too: use a Map, obj.name or arr[+index].",
    private: "Names that begin with _ and the member `constructor` are refused.",
    code: "eval and Function are removed.",
    example: "const squares = [1, 2, 3].map((x) => x * x);\nconst result = squares;",
  },
  python: {
    purpose: "Runs a Python program (CPython 3.14) in a sandbox and answers with its value and output.",
    absent: "There is no network, no file system, no process.",
    computed: "",
    private: "Names and attributes that begin with _ are refused.",
    code: "eval, exec and compile are refused.",
    example: "squares = [x * x for x in [1, 2, 3]]\nresult = squares",
  },
} as const;

const VALUE =
  "Value: what a top-level return gives; else the variable result; else the last statement, if it is an expression; else the last printed line. Data from the host, if any, is in input. Every call starts afresh.";

function describeModules(language: Language, { modules }: LearnedRules, room: number): string {
  if (language === "javascript" || (modules !== "any" && modules.length === 0)) return "No module can be imported.";
  if (modules === "any") return "The standard library can be imported; third-party packages are not there.";
  return `Only these modules can be imported, no third-party packages: ${listWithin(modules, room)}.`;
}

/** As many names as there is room for; what is left out is said. */
function listWithin(names: readonly string[], room: number): string {
  const all = names.join(", ");
  if (all.length <= room) return all;
  const kept: string[] = [];
  for (let used = 16, index = 0; index < names.length; index++) {
    used += (names[index]?.length ?? 0) + 2;
    if (used > room) break;
    kept.push(names[index] ?? "");
  }
  return `${[...kept, `and ${names.length - kept.length} more`].join(", ")}`;
}

function describeLimits(limits: Limits, { sourceChars }: LearnedRules): string {
  const chars = Math.min(limits.sourceChars, sourceChars ?? limits.sourceChars);
  return `Limits: ${chars} characters of source, ${limits.timeoutMs} ms, ${limits.memoryMb} MiB, ${limits.stdoutBytes} bytes of output, ${limits.resultBytes} bytes of value.`;
}

function describeRules(language: Language, learned: LearnedRules, room: number): string[] {
  const texts = LANGUAGE_TEXTS[language];
  const sentences: string[] = [];
  if (learned.effect === "ask") sentences.push("A person is asked before it runs.");
  if (learned.effect === "deny") sentences.push("At present the policy refuses every call.");
  if (learned.globals !== null) sentences.push(`The only globals: ${listWithin(learned.globals, room)}.`);
  if (!learned.allows.dynamicCode) sentences.push(texts.code);
  if (!learned.allows.privateNames) sentences.push(texts.private);
  if (!learned.allows.computedNames && !learned.allows.privateNames) sentences.push(texts.computed);
  return sentences.filter((sentence) => sentence !== "");
}

export function describeTool(policy: Policy, language: Language, limits: Limits): string {
  const learned = learnRules(policy, language);
  const { purpose, absent, example } = LANGUAGE_TEXTS[language];
  const write = (room: number) =>
    [
      purpose,
      [describeModules(language, learned, room), absent, ...describeRules(language, learned, room)].join(" "),
      VALUE,
      describeLimits(limits, learned),
      `Example:\n${example}`,
    ].join("\n");
  const whole = write(Number.POSITIVE_INFINITY);
  if (whole.length <= MAX_DESCRIPTION_CHARS) return whole;
  // Two lists may be too long: each gets half of what the rest leaves.
  const room = Math.max(0, Math.floor((MAX_DESCRIPTION_CHARS - write(0).length) / 2));
  return write(room);
}
