/**
 * The hostile programs of a run: the product's own, or those of a file. A file is a JSON list of
 * `{id, source | source_zlib_b64, language?}`; nothing of it is believed but the program.
 */

import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import type { Status } from "../../src/types.ts";
import { HOSTILE_CLASSES } from "../fixtures/hostile-classes.ts";
import { HOSTILE_PROGRAMS, type HostileProgram } from "../fixtures/hostile-programs.ts";

export interface CorpusProgram {
  readonly name: string;
  readonly source: string;
  readonly language: string;
  /** Statuses that are true of it; null where that is not known. */
  readonly status: readonly Status[] | null;
  readonly timeoutMs: number;
}

const TIMEOUT_MS = 1000;
/** More than any program here needs: `batch` lets its operator say so. */
export const SOURCE_CHARS = 100_000;

/** What a limit may end first on a machine that is busy, beside what is true of it on one that is not. */
const LIMIT_ENDS: readonly Status[] = ["timeout", "memory_limit", "output_limit"];

function own(programs: readonly HostileProgram[]): CorpusProgram[] {
  return programs
    .filter(({ permits }) => permits === undefined)
    .map(({ name, source, status, timeoutMs = TIMEOUT_MS }) => ({
      name,
      source,
      language: "javascript",
      // A program that works hard may meet a limit before its own end.
      status: status.includes("ok") && status.length === 1 ? status : [...status, ...LIMIT_ENDS],
      timeoutMs,
    }));
}

export function ownCorpus(): CorpusProgram[] {
  return [...Object.values(HOSTILE_PROGRAMS), ...Object.values(HOSTILE_CLASSES)].flatMap((programs) => own(programs));
}

export const typescriptCorpus = (): CorpusProgram[] => own(HOSTILE_CLASSES.typescript);

interface FileItem {
  id?: string;
  name?: string;
  source?: string | null;
  source_zlib_b64?: string;
  language?: string;
}

export function readCorpus(path: string | null): CorpusProgram[] {
  if (path === null) return ownCorpus();
  const items = JSON.parse(readFileSync(path, "utf8")) as FileItem[];
  return items.map(({ id, name, source, source_zlib_b64, language = "javascript" }, index) => ({
    name: id ?? name ?? `program ${index}`,
    source: source ?? inflateSync(Buffer.from(source_zlib_b64 ?? "", "base64")).toString(),
    language,
    status: null,
    timeoutMs: TIMEOUT_MS,
  }));
}
