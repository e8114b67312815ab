/**
 * `console`: lines leave the isolate one by one through one captured callback, until the budget is used.
 * After that it never calls again: a loop over a host callback would defeat the isolate's time limit.
 */

import type { createGlobals } from "./globals.ts";
import type { createInspect } from "./inspect.ts";
import type { Primordials } from "./primordials.ts";

export function createConsole(
  p: Primordials,
  globals: ReturnType<typeof createGlobals>,
  inspect: ReturnType<typeof createInspect>,
  writeLine: (line: string) => void,
  reportTruncated: () => void,
) {
  "use strict";
  let bytesLeft = 0;
  let linesLeft = 0;
  let isTruncated = false;
  let lastLine: string | null = null;
  let indent = "";
  let clock: () => number = () => 0;
  const counts = new p.Map<string, number>();
  const started = new p.Map<string, number>();

  /** The longest prefix of at most `max` UTF-8 bytes that does not end inside a surrogate pair. */
  const cut = (text: string, max: number): { text: string; bytes: number } => {
    let bytes = 0;
    let index = 0;
    while (index < text.length) {
      const code = p.charCodeAt(text, index) as number;
      const next = index + 1 < text.length ? (p.charCodeAt(text, index + 1) as number) : 0;
      const isPair = code >= 0xd800 && code <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
      const size = code < 0x80 ? 1 : code < 0x800 ? 2 : isPair ? 4 : 3;
      if (bytes + size > max) break;
      bytes += size;
      index += isPair ? 2 : 1;
    }
    return { text: index === text.length ? text : (p.slice(text, 0, index) as string), bytes };
  };
  /** Ends output for good, and says so once. */
  const truncate = (): void => {
    bytesLeft = 0;
    linesLeft = 0;
    if (!isTruncated) reportTruncated();
    isTruncated = true;
  };
  const emit = (line: string): void => {
    if (linesLeft <= 0 || (bytesLeft <= 0 && line !== "")) return truncate();
    const bounded = line.length > bytesLeft ? (p.slice(line, 0, bytesLeft) as string) : line;
    const kept = cut(bounded, bytesLeft);
    bytesLeft -= kept.bytes + 1;
    linesLeft--;
    lastLine = kept.text;
    writeLine(kept.text);
    if (kept.text.length < line.length) truncate();
  };
  const print = (text: string): void => {
    if (linesLeft <= 0 || bytesLeft <= 0) return truncate();
    let from = 0;
    while (linesLeft > 0) {
      const end = p.indexOf(text, "\n", from) as number;
      emit(indent + (p.slice(text, from, end < 0 ? text.length : end) as string));
      if (end < 0) return;
      from = end + 1;
    }
    truncate();
  };
  /** One character more than fits, so that a line that was cut shows as cut. */
  const room = (): number => bytesLeft + 1;
  const asNumber = (value: unknown, whole: boolean): string => {
    if (typeof value === "bigint") return inspect(value, bytesLeft);
    const number = typeof value === "object" || typeof value === "symbol" ? NaN : p.toNumber(value);
    return `${whole && number === number ? (number < 0 ? -p.floor(-number) : p.floor(number)) : number}`;
  };
  /** `%s %d %i %f %j %o %O %%` in a first string, as in Node; the rest is shown after it. */
  const format = (args: unknown[]): string => {
    let text = "";
    let next = 0;
    if (args.length > 1 && typeof args[0] === "string" && (p.indexOf(args[0], "%") as number) >= 0) {
      const pattern = args[0].length > bytesLeft ? (p.slice(args[0], 0, bytesLeft) as string) : args[0];
      next = 1;
      for (let index = 0; index < pattern.length; index++) {
        const kind = pattern[index] === "%" ? pattern[index + 1] : undefined;
        const isKnown = kind !== undefined && (p.indexOf("sdifjoOc%", kind) as number) >= 0;
        if (!isKnown || (kind !== "%" && next >= args.length)) text += pattern[index];
        else {
          index++;
          if (kind === "%") text += "%";
          else {
            const value = args[next++];
            if (kind === "d" || kind === "i" || kind === "f") text += asNumber(value, kind === "i");
            else if (kind !== "c") text += inspect(value, room());
          }
        }
      }
    }
    for (let index = next; index < args.length && text.length <= bytesLeft; index++) {
      text += (index === 0 ? "" : " ") + inspect(args[index], room());
    }
    return text;
  };
  const show = (args: unknown[]): void => {
    if (linesLeft <= 0 || bytesLeft <= 0) truncate();
    else print(format(args));
  };
  const label = (value: unknown): string => (value === undefined ? "default" : inspect(value, 100));

  const console = p.createObject(p.createObject(p.objectPrototype as object));
  const log = (...args: unknown[]) => show(args);
  for (const name of ["log", "info", "debug", "warn", "error", "trace", "dirxml"]) globals.define(name, log, console);
  globals.define("clear", () => {}, console);
  globals.define("dir", (value: unknown) => show([value]), console);
  globals.define("table", (value: unknown) => show([value]), console);
  globals.define(
    "assert",
    (condition: unknown, ...args: unknown[]) => {
      if (!condition) print(args.length === 0 ? "Assertion failed" : `Assertion failed: ${format(args)}`);
    },
    console,
  );
  globals.define(
    "count",
    (name: unknown) => {
      const key = label(name);
      const count = ((p.mapGet(counts, key) as number | undefined) ?? 0) + 1;
      p.mapSet(counts, key, count);
      print(`${key}: ${count}`);
    },
    console,
  );
  globals.define("countReset", (name: unknown) => void p.mapSet(counts, label(name), 0), console);
  const group = (...args: unknown[]) => {
    if (args.length > 0) show(args);
    if (indent.length < 40) indent += "  ";
  };
  globals.define("group", group, console);
  globals.define("groupCollapsed", group, console);
  globals.define(
    "groupEnd",
    () => {
      indent = p.slice(indent, 2) as string;
    },
    console,
  );
  globals.define("time", (name: unknown) => void p.mapSet(started, label(name), clock()), console);
  const timeLog = (name: unknown) => {
    const key = label(name);
    const from = p.mapGet(started, key) as number | undefined;
    print(from === undefined ? `Timer '${key}' does not exist` : `${key}: ${clock() - from}ms`);
  };
  globals.define("timeLog", timeLog, console);
  globals.define("timeEnd", timeLog, console);
  globals.define("console", console);

  return {
    open: (bytes: number, lines: number, readClock: () => number): void => {
      bytesLeft = bytes;
      linesLeft = lines;
      clock = readClock;
    },
    /** Null where lines were left out: the last one is not known then. */
    lastLine: (): string | null => (isTruncated ? null : lastLine),
  };
}
