/**
 * The virtual clock: Date, Temporal.Now, Intl's default, performance.now and timers read one number that only timers move.
 * Seeded chance beside it. Must never read the real time or real entropy.
 */

import type { createGlobals } from "./globals.ts";
import type { Primordials } from "./primordials.ts";

export function createClock(p: Primordials, globals: ReturnType<typeof createGlobals>) {
  "use strict";
  interface Timer {
    id: number;
    due: number;
    every: number;
    callback: (...args: unknown[]) => unknown;
    args: unknown[];
    next: Timer | null;
  }
  let start = 0;
  let now = 0;
  let lastId = 0;
  let first: Timer | null = null;

  const NativeDate = Date;
  const VirtualDate = function Date(...args: unknown[]) {
    const target = new.target;
    if (target === undefined) return p.toText(new NativeDate(now));
    return p.construct(NativeDate, args.length === 0 ? [now] : args, target);
  };
  const { define } = globals;
  p.defineProperty(VirtualDate, "prototype", {
    __proto__: null,
    value: NativeDate.prototype,
    writable: false,
  } as PropertyDescriptor);
  p.defineProperty(VirtualDate, "length", { __proto__: null, value: 7 } as PropertyDescriptor);
  define("now", () => now, VirtualDate);
  define("parse", NativeDate.parse, VirtualDate);
  define("UTC", NativeDate.UTC, VirtualDate);
  define("constructor", VirtualDate, NativeDate.prototype);
  define("Date", VirtualDate);

  const performance = p.createObject(null);
  define("now", () => now - start, performance);
  p.defineProperty(performance, "timeOrigin", {
    __proto__: null,
    get: () => start,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor);
  define("performance", performance);

  const intl = Intl.DateTimeFormat.prototype;
  const nativeFormat = p.uncurryThis(p.getOwnPropertyDescriptor(intl, "format")?.get ?? (() => () => ""));
  const nativeParts = p.uncurryThis(intl.formatToParts);
  p.defineProperty(intl, "format", {
    __proto__: null,
    configurable: true,
    get() {
      const format = nativeFormat(this) as (date: unknown) => string;
      return (date: unknown) => format(date === undefined ? now : date);
    },
  } as PropertyDescriptor);
  define(
    "formatToParts",
    {
      formatToParts(this: Intl.DateTimeFormat, date: unknown) {
        return nativeParts(this, date === undefined ? now : date);
      },
    }.formatToParts,
    intl,
  );

  // The engine's own Temporal is costly to touch and reads the real time: it is built anew when a program first reads it.
  if (globals.hasTemporal) globals.defineLazy("Temporal", buildTemporal);

  interface TemporalInstant {
    constructor: { fromEpochMilliseconds(ms: number): TemporalInstant };
    toZonedDateTimeISO(zone: unknown): object;
    until(other: unknown): object;
  }
  type Convert = (self: unknown) => { constructor: unknown };
  function buildTemporal(): object {
    const epoch = new NativeDate(0) as Date & { toTemporalInstant(): TemporalInstant };
    const sample = epoch.toTemporalInstant();
    const Instant = sample.constructor;
    const { fromEpochMilliseconds } = Instant;
    const toZoned = p.uncurryThis(sample.toZonedDateTimeISO);
    const instant = () => p.apply(fromEpochMilliseconds, Instant, [now]);
    const zoned = (zone: unknown) => toZoned(instant(), zone === undefined ? "UTC" : zone);
    const holder = p.getPrototypeOf(zoned("UTC") as object) as Record<string, () => unknown>;
    const converter = (from: Record<string, () => unknown>, name: string) =>
      p.uncurryThis(from[name] as () => unknown) as Convert;
    const toDateTime = converter(holder, "toPlainDateTime");
    const toDate = converter(holder, "toPlainDate");
    const toTime = converter(holder, "toPlainTime");
    const date = toDate(zoned("UTC")) as unknown as Record<string, () => unknown>;
    const temporal = p.createObject(p.objectPrototype as object);
    const parts: [string, unknown][] = [
      ["Instant", Instant],
      ["ZonedDateTime", (zoned("UTC") as object).constructor],
      ["PlainDateTime", toDateTime(zoned("UTC")).constructor],
      ["PlainDate", toDate(zoned("UTC")).constructor],
      ["PlainTime", toTime(zoned("UTC")).constructor],
      ["PlainYearMonth", converter(date, "toPlainYearMonth")(date).constructor],
      ["PlainMonthDay", converter(date, "toPlainMonthDay")(date).constructor],
      ["Duration", (p.uncurryThis(sample.until)(sample, sample) as object).constructor],
    ];
    for (const [name, part] of parts) define(name, part, temporal);
    const clock = p.createObject(p.objectPrototype as object);
    define("instant", instant, clock);
    define("timeZoneId", () => "UTC", clock);
    define("zonedDateTimeISO", zoned, clock);
    define("plainDateTimeISO", (zone: unknown) => toDateTime(zoned(zone)), clock);
    define("plainDateISO", (zone: unknown) => toDate(zoned(zone)), clock);
    define("plainTimeISO", (zone: unknown) => toTime(zoned(zone)), clock);
    define("Now", clock, temporal);
    return temporal;
  }

  const insert = (timer: Timer): void => {
    if (first === null || timer.due < first.due) {
      timer.next = first;
      first = timer;
      return;
    }
    let before = first;
    while (before.next !== null && before.next.due <= timer.due) before = before.next;
    timer.next = before.next;
    before.next = timer;
  };
  const schedule = (name: string, callback: unknown, delay: unknown, args: unknown[], repeats: boolean): number => {
    if (typeof callback !== "function") throw new p.TypeError(`${name} needs a function, not ${typeof callback}`);
    const asked = p.toNumber(delay);
    const wait = asked >= 1 && asked <= 2147483647 ? p.floor(asked) : 1;
    lastId++;
    const timer = p.createObject(null) as Timer;
    timer.id = lastId;
    timer.due = now + (name === "setImmediate" ? 0 : wait);
    timer.every = repeats ? wait : 0;
    timer.callback = callback as Timer["callback"];
    timer.args = args;
    insert(timer);
    return lastId;
  };
  const cancel = (id: unknown): void => {
    let before: Timer | null = null;
    for (let timer = first; timer !== null; timer = timer.next) {
      if (timer.id === id) {
        if (before === null) first = timer.next;
        else before.next = timer.next;
        timer.every = 0;
        return;
      }
      before = timer;
    }
    if (current !== null && current.id === id) current.every = 0;
  };
  let current: Timer | null = null;
  define("setTimeout", function setTimeout(callback: unknown, delay: unknown, ...args: unknown[]) {
    return schedule("setTimeout", callback, delay, args, false);
  });
  define("setInterval", function setInterval(callback: unknown, delay: unknown, ...args: unknown[]) {
    return schedule("setInterval", callback, delay, args, true);
  });
  define("setImmediate", function setImmediate(callback: unknown, ...args: unknown[]) {
    return schedule("setImmediate", callback, 0, args, false);
  });
  for (const name of ["clearTimeout", "clearInterval", "clearImmediate"]) define(name, (id: unknown) => cancel(id));

  const SEED_ROUNDS = 12;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 1;
  let output = 0;
  /** Rounds before the next number: the first one of a run comes after those that mix the seed. */
  let rounds = 1;
  /** sfc32: small, fast, 32 bits of output a round. A loop, since calls are slow in a fresh isolate. */
  const mix = (): void => {
    for (; rounds > 0; rounds--) {
      output = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (c << 21) | (c >>> 11);
      c = (c + output) | 0;
    }
  };
  const nextInt = (): number => {
    mix();
    rounds = 1;
    return output >>> 0;
  };
  define("random", () => ((nextInt() >>> 5) * 67108864 + (nextInt() >>> 6)) / 9007199254740992, Math);

  return {
    // Arrows, not methods: an engine compiles them with the script.
    set: (startMs: number, seed: number): void => {
      start = startMs;
      now = startMs;
      a = seed | 0;
      b = p.floor(seed / 4294967296) | 0;
      c = 0x9e3779b9 | 0;
      d = 1;
      // Mixed when a program first asks for chance, since most never do: the loop takes a tenth of such a run.
      rounds = SEED_ROUNDS + 1;
    },
    elapsed: (): number => now - start,
    hasTimers: (): boolean => first !== null,
    /** Runs the next timer; the clock moves to its time. What it throws is the caller's to record. */
    runNext: (): void => {
      const timer = first;
      if (timer === null) return;
      first = timer.next;
      if (timer.due > now) now = timer.due;
      current = timer;
      try {
        p.apply(timer.callback, undefined, timer.args);
      } finally {
        current = null;
        if (timer.every > 0) {
          timer.due = now + timer.every;
          insert(timer);
        }
      }
    },
  };
}
