/**
 * Which shared libraries a program loads: asked of the loader that is named in the program itself, as ldd does it.
 * Linux only, glibc and musl alike. Reads and asks; changes nothing.
 */

import { closeSync, openSync, readSync } from "node:fs";
import { runTool } from "./spawn.ts";

const MAGIC = 0x7f454c46;
const PROGRAM_INTERPRETER = 3;

/** The loader that a 64-bit little-endian ELF file names; null where it is linked statically. */
export function readInterpreter(path: string): string | null {
  const file = openSync(path, "r");
  try {
    const header = Buffer.alloc(64);
    readSync(file, header, 0, 64, 0);
    if (header.readUInt32BE(0) !== MAGIC || header[4] !== 2 || header[5] !== 1) {
      throw new Error(`${path} is not a 64-bit little-endian ELF file`);
    }
    const [offset, size, count] = [
      Number(header.readBigUInt64LE(32)),
      header.readUInt16LE(54),
      header.readUInt16LE(56),
    ];
    const entries = Buffer.alloc(size * count);
    readSync(file, entries, 0, entries.length, offset);
    for (let at = 0; at < entries.length; at += size) {
      if (entries.readUInt32LE(at) !== PROGRAM_INTERPRETER) continue;
      const text = Buffer.alloc(Number(entries.readBigUInt64LE(at + 32)));
      readSync(file, text, 0, text.length, Number(entries.readBigUInt64LE(at + 8)));
      return text.toString("utf8").replace(/\0+$/, "");
    }
    return null;
  } finally {
    closeSync(file);
  }
}

/** The loader and every library that `path` needs, at the paths at which the loader looks for them. @throws Error */
export async function findSharedLibraries(path: string): Promise<string[]> {
  const interpreter = readInterpreter(path);
  if (interpreter === null) return [];
  const { status, stdout, stderr } = await runTool(interpreter, ["--list", path]);
  if (status !== 0) throw new Error(`${interpreter} --list ${path}: ${stderr.trim() || `exit ${status}`}`);
  const found = stdout.split("\n").flatMap((line) => /(?:=>\s+|^\s*)(\/\S+)\s+\(0x/.exec(line)?.[1] ?? []);
  return [...new Set([interpreter, ...found])];
}
