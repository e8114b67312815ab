/**
 * Reads the values of options: numbers, limits, languages. A wrong one is a UsageError that names it.
 * Starts nothing and reads no file.
 */

import { extname } from "node:path";
import { InvalidArgumentError } from "commander";
import { LIMITS, type LimitName, type LimitRow } from "../limits.ts";
import type { Language } from "../types.ts";
import { UsageError } from "./fault.ts";

const LANGUAGE_NAMES: Readonly<Record<string, Language>> = {
  javascript: "javascript",
  js: "javascript",
  typescript: "javascript",
  ts: "javascript",
  python: "python",
  py: "python",
};

const LANGUAGE_OF_EXTENSION: Readonly<Record<string, Language>> = {
  ".js": "javascript",
  ".mjs": "javascript",
  ".cjs": "javascript",
  ".ts": "javascript",
  ".mts": "javascript",
  ".cts": "javascript",
  ".py": "python",
};

/** The language that `name` means: TypeScript is accepted wherever JavaScript is. */
export function parseLanguage(name: string): Language {
  const language = Object.hasOwn(LANGUAGE_NAMES, name) ? LANGUAGE_NAMES[name] : undefined;
  if (language) return language;
  throw new InvalidArgumentError("Expected javascript, typescript or python.");
}

/**
 * The language of a file by its extension; JavaScript where it has none.
 * @throws UsageError for an extension that means no language known here: such a file is hardly JavaScript.
 */
export function languageOfFile(path: string): Language {
  const extension = extname(path).toLowerCase();
  if (extension === "" || extension === ".") return "javascript";
  const language = Object.hasOwn(LANGUAGE_OF_EXTENSION, extension) ? LANGUAGE_OF_EXTENSION[extension] : undefined;
  if (language) return language;
  const known = Object.keys(LANGUAGE_OF_EXTENSION).join(", ");
  throw new UsageError(
    `${JSON.stringify(path)}: ${JSON.stringify(extension)} names no language known here (${known}): say which with --language`,
  );
}

export const MAX_CONCURRENCY = 256;

export function parseConcurrency(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= MAX_CONCURRENCY) return value;
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${MAX_CONCURRENCY}.`);
}

export type LimitSettings = Partial<Record<LimitName, number>>;

/** The row of the table for `name`, if there is one. */
export function limitRow(name: string): LimitRow | undefined {
  return Object.hasOwn(LIMITS, name) ? LIMITS[name as LimitName] : undefined;
}

/** What is wrong with setting `name` to `value`, in one sentence; undefined where nothing is. */
export function findLimitFault(name: string, value: unknown, scopes: readonly LimitRow["scope"][]): string | undefined {
  const row = limitRow(name);
  if (!row || !scopes.includes(row.scope)) {
    const names = Object.entries(LIMITS).filter(([, { scope }]) => scopes.includes(scope as LimitRow["scope"]));
    return `no limit ${JSON.stringify(name.slice(0, 40))} can be set here: ${names.map(([known]) => known).join(", ")}`;
  }
  if (typeof value === "number" && Number.isInteger(value) && value >= row.min && value <= row.max) return undefined;
  const given =
    typeof value === "number" || typeof value === "string" ? JSON.stringify(value).slice(0, 40) : typeof value;
  return `${name}: expected a whole number from ${row.min} to ${row.max} (${row.unit}), got ${given}`;
}

/** Collects `--limit name=value`, which may be given several times. */
export function parseLimit(text: string, previous: LimitSettings): LimitSettings {
  const [, name = "", digits = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (name === "") throw new InvalidArgumentError("Expected name=value, for example timeoutMs=5000.");
  const value = /^-?\d+$/.test(digits) ? Number(digits) : digits;
  const fault = findLimitFault(name, value, ["call", "pool"]);
  if (fault) throw new InvalidArgumentError(`${fault}.`);
  return { ...previous, [name]: value };
}

/** Names with commas between them. */
export function parseNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => /^[a-z-]+$/.test(name))) return names;
  throw new InvalidArgumentError("Expected names with commas between them, for example network,seccomp.");
}
