/**
 * Reads what a person names on the command line: a program, an input, a policy document.
 * Must not hold more than a cap; every failure is a UsageError that says which file and why.
 */

import { createReadStream } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Readable } from "node:stream";
import { UsageError } from "./fault.ts";

/** More than any limit lets through, little enough to hold. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOTDIR: "a part of the path is not a directory",
  ENAMETOOLONG: "the name is too long",
};

/** Why a file cannot be used, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code !== undefined && REASONS[code]) || message;
}

async function readAll(stream: Readable, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_FILE_BYTES) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new UsageError(`cannot read ${what}: ${reasonOf(error)}`, { cause: error });
  }
  if (bytes > MAX_FILE_BYTES) throw new UsageError(`cannot read ${what}: it is larger than 16 MiB`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new UsageError(`cannot read ${what}: it is not UTF-8 text`, { cause: error });
  }
}

/**
 * A path as whoever called the command means it: `npm start` in a folder of a clone moves to the clone's own before it starts
 * the command, and says where it was called.
 */
export function resolvePath(path: string): string {
  const { npm_lifecycle_event: script, npm_package_name: name, INIT_CWD: calledIn } = process.env;
  if (script !== "start" || name !== "sallyport" || !calledIn) return path;
  const below = relative(process.cwd(), calledIn);
  const isBelow = below !== "" && below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  return isBelow ? resolve(calledIn, path) : path;
}

/** The text of `path`; `-` is standard input. */
export function readText(path: string): Promise<string> {
  if (path === "-") {
    if (process.stdin.isTTY) process.stderr.write("Reading from the terminal: end with Ctrl-D.\n");
    return readAll(process.stdin, "standard input");
  }
  return readAll(createReadStream(resolvePath(path)), JSON.stringify(path));
}

/** The JSON in `path`. */
export async function readJson(path: string): Promise<unknown> {
  const text = await readText(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${JSON.stringify(path)} is not valid JSON: ${reason}`, { cause: error });
  }
}
