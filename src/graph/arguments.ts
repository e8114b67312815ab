/**
 * Untrusted arguments of one tool call to its source text, or the reason why not.
 * Repairs nothing, decodes once, evaluates nothing, and never throws whatever it is given.
 */

import { createScanner } from "jsonc-parser";
import { printJson } from "../protocol/json.ts";
import { cutText } from "../sandbox/observation.ts";

export interface GivenArguments {
  /** The arguments as the model wrote them, where the message still holds that text. */
  text?: string;
  /** The arguments as the provider's client parsed them. */
  args?: unknown;
}

export interface ArgumentLimits {
  /** Bytes of the raw arguments. */
  argumentBytes: number;
  /** UTF-16 units of the source. */
  sourceChars: number;
}

export type ArgumentsReading = { ok: true; source: string } | { ok: false; message: string };

const EXPECTED = 'Send exactly one JSON object: {"source": "<code>"}.';

/** jsonc-parser's `SyntaxKind`, a const enum that may not be imported: { } : "string" and the end. */
const BRACE_OPEN = 1;
const BRACE_CLOSE = 2;
const COLON = 6;
const STRING = 10;
const END = 17;

/** Beyond it, what cannot be a program is not parsed for the sake of a better refusal: that would hold the host's loop. */
const DIAGNOSED_CHARS = 16_384;

function refuse(message: string): ArgumentsReading {
  return { ok: false, message };
}

/** JSON.parse keeps the last of two equal keys: the text must hold one property, and no more. */
export function holdsOneProperty(text: string): boolean {
  const scanner = createScanner(text, true);
  return [BRACE_OPEN, STRING, COLON, STRING, BRACE_CLOSE, END].every((kind) => scanner.scan() === kind);
}

/** Whether it may be a program, or is short enough to be told what is wrong with it. */
export function isWorthParsing(text: string): boolean {
  return text.length <= DIAGNOSED_CHARS || holdsOneProperty(text);
}

function readSource(value: unknown, limits: ArgumentLimits): ArgumentsReading {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse(
      `Arguments must be an object, not ${Array.isArray(value) ? "an array" : printKind(value)}. ${EXPECTED}`,
    );
  }
  const keys = Reflect.ownKeys(value);
  const extra = keys.filter((key) => key !== "source");
  if (extra.length > 0) {
    const named = extra.slice(0, 3).map((key) => printJson(cutText(String(key), 20)));
    return refuse(`"source" is the only argument; unexpected: ${named.join(", ")}. A call sets no limits. ${EXPECTED}`);
  }
  const source: unknown = Object.getOwnPropertyDescriptor(value, "source")?.value;
  if (source === undefined) return refuse(`"source" is missing. ${EXPECTED}`);
  if (typeof source !== "string") return refuse(`"source" must be a string, not ${printKind(source)}. ${EXPECTED}`);
  if (source.length === 0) return refuse(`"source" is empty. ${EXPECTED}`);
  if (source.length > limits.sourceChars) {
    return refuse(
      `"source" has ${source.length} characters; at most ${limits.sourceChars} are allowed. Send a shorter program.`,
    );
  }
  return { ok: true, source };
}

function printKind(value: unknown): string {
  return value === null || value === undefined ? "nothing" : `a ${typeof value}`;
}

function tooLarge(bytes: number, limits: ArgumentLimits): ArgumentsReading {
  return refuse(
    `The arguments have ${bytes} bytes; at most ${limits.argumentBytes} are allowed. Send a shorter program.`,
  );
}

function readText(text: string, limits: ArgumentLimits): ArgumentsReading {
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.argumentBytes) return tooLarge(bytes, limits);
  if (!isWorthParsing(text)) {
    return refuse(`The arguments must be one JSON object with "source" and nothing else. ${EXPECTED}`);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return refuse(`The arguments are not valid JSON. ${EXPECTED}`);
  }
  const reading = readSource(parsed, limits);
  if (reading.ok && !holdsOneProperty(text)) return refuse(`"source" is given more than once. ${EXPECTED}`);
  return reading;
}

function readParsed(args: unknown, limits: ArgumentLimits): ArgumentsReading {
  const reading = readSource(args, limits);
  if (!reading.ok) return reading;
  const bytes = Buffer.byteLength(reading.source);
  return bytes > limits.argumentBytes ? tooLarge(bytes, limits) : reading;
}

/** The raw text has the say; what was parsed from it by others must agree. */
export function readArguments(given: GivenArguments, limits: ArgumentLimits): ArgumentsReading {
  try {
    if (given.text === undefined) return readParsed(given.args, limits);
    const reading = readText(given.text, limits);
    if (!reading.ok || given.args === undefined) return reading;
    const parsed = readParsed(given.args, limits);
    if (parsed.ok && parsed.source === reading.source) return reading;
    return refuse(
      `The arguments were cut or changed on their way: their text and their parsed form differ. ${EXPECTED}`,
    );
  } catch {
    return refuse(`The arguments cannot be read. ${EXPECTED}`);
  }
}
