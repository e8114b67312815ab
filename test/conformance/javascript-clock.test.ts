/**
 * Clock and chance are virtual: everything that tells the time reads one clock, which moves only by timers,
 * and everything random comes from the seed.
 */

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/limits.ts";
import { useSandbox, withoutUsage } from "../fixtures/use-sandbox.ts";

const { run } = useSandbox();
const now = Date.UTC(2030, 4, 6, 7, 8, 9, 10);

describe("the virtual clock", () => {
  it.each<[source: string, result: unknown]>([
    ["Date.now()", now],
    ["new Date().getTime()", now],
    ["+new Date()", now],
    ["new Date().toISOString()", "2030-05-06T07:08:09.010Z"],
    ["Date()", "Mon May 06 2030 07:08:09 GMT+0000 (Coordinated Universal Time)"],
    ["new (class D extends Date {})().getTime()", now],
    ["new Date().constructor.now()", now],
    ["new (Object.getPrototypeOf(new Date(0)).constructor)().getTime()", now],
    ["Reflect.construct(Date, [], Object).getTime === undefined", true],
    ["new Date().toLocaleString()", "5/6/2030, 7:08:09 AM"],
    ["new Date().getTimezoneOffset()", 0],
    ["[performance.now(), performance.timeOrigin]", [0, now]],
    ["new Intl.DateTimeFormat('en-US').format()", "5/6/2030"],
    ["new Intl.DateTimeFormat('en-US').format(undefined)", "5/6/2030"],
    ["new Intl.DateTimeFormat('de-DE').formatToParts().map(({ value }) => value).join('')", "6.5.2030"],
    ["Intl.DateTimeFormat().resolvedOptions().timeZone", "UTC"],
    ["Intl.DateTimeFormat().resolvedOptions().locale", "en-US"],
    ["(1234.5).toLocaleString()", "1,234.5"],
  ])("is what %s reads", async (source, result) => {
    expect(await run(source, { now })).toMatchObject({ ok: true, result });
  });

  it.each<[source: string, result: unknown]>([
    ["new Date(2020, 0, 31, 12).toISOString()", "2020-01-31T12:00:00.000Z"],
    ["new Date('2020-01-01').getTime()", Date.UTC(2020, 0, 1)],
    ["new Date(undefined).getTime()", { $type: "NaN" }],
    ["Date.UTC(2020, 0, 1) === Date.parse('2020-01-01')", true],
    ["[Date.length, Date.name, typeof Date(0), new Date(5) instanceof Date]", [7, "Date", "string", true]],
    ["new Intl.DateTimeFormat('en-US').format(0)", "1/1/1970"],
    ["new Date(0).toLocaleDateString('de-DE', { timeZone: 'America/New_York' })", "31.12.1969"],
  ])("leaves a time that is given alone: %s", async (source, result) => {
    expect(await run(source, { now })).toMatchObject({ ok: true, result });
  });

  it("is what Temporal reads, where the engine has it", async ({ skip }) => {
    if ((await run("typeof Temporal")).result === "undefined") skip();
    const { result } = await run(
      `const { Now } = Temporal;
      [Now.instant().epochMilliseconds, Now.zonedDateTimeISO().toString(), Now.plainDateISO().toString(),
       Now.plainTimeISO().toString(), Now.plainDateTimeISO("Asia/Tokyo").toString(), Now.timeZoneId()]`,
      { now },
    );
    expect(result).toEqual([
      now,
      "2030-05-06T07:08:09.01+00:00[UTC]",
      "2030-05-06",
      "07:08:09.01",
      "2030-05-06T16:08:09.01",
      "UTC",
    ]);
  });

  it("moves by timers alone, and to the millisecond", async () => {
    const { result } = await run(
      `const times = [Date.now()];
      for (let n = 0; n < 1e6; n++);
      times.push(Date.now());
      for (const wait of [5, 1000, 86_400_000]) {
        await new Promise((done) => setTimeout(done, wait));
        times.push(Date.now(), performance.now());
      }
      times`,
      { now: 1000 },
    );
    expect(result).toEqual([1000, 1000, 1005, 5, 2005, 1005, 86_402_005, 86_401_005]);
  });

  it("starts at the host's time where none is given, the same for the whole run", async () => {
    const before = Date.now();
    const { result } = await run("[Date.now(), new Date().getTime()]");
    const [first, second] = result as [number, number];
    expect(first).toBe(second);
    expect(first).toBeGreaterThanOrEqual(before);
    expect(first).toBeLessThanOrEqual(Date.now());
  });

  it.each([-8.64e15, 8.64e15, 0])("may start at %d", async (at) => {
    expect(await run("Date.now()", { now: at })).toMatchObject({ ok: true, result: at });
  });
});

describe("chance", () => {
  const draw = "Array.from({ length: 5 }, () => Math.random())";

  it("comes from the seed, and no two seeds are alike", async () => {
    const seeds = [0, 1, 2, 255, 2 ** 32, 2 ** 32 + 1, 2 ** 48 - 1];
    const drawn = await Promise.all(seeds.map((seed) => run(draw, { seed })));
    expect(new Set(drawn.map(({ result }) => JSON.stringify(result))).size).toBe(seeds.length);
    const again = await Promise.all(seeds.map((seed) => run(draw, { seed })));
    expect(again.map(withoutUsage)).toEqual(drawn.map(withoutUsage));
  });

  it("is even, and never 1", async () => {
    const { result } = await run(
      `let sum = 0, low = 1, high = 0;
      for (let n = 0; n < 1e5; n++) { const x = Math.random(); sum += x; low = Math.min(low, x); high = Math.max(high, x) }
      [sum / 1e5, low, high]`,
      { seed: 5, limits: { timeoutMs: 5000 } },
    );
    const [mean = 0, low = 1, high = 1] = result as number[];
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.01);
    expect(low).toBeGreaterThanOrEqual(0);
    expect(low).toBeLessThan(0.001);
    expect(high).toBeLessThan(1);
    expect(high).toBeGreaterThan(0.999);
  });

  it("makes a run that uses all of it the same again", async () => {
    const source = `
      const order = [3, 1, 2].sort(() => Math.random() - 0.5);
      const raced = await Promise.race([1, 2, 3].map((n) => new Promise((done) => setTimeout(done, Math.random() * 100, n))));
      console.log(order, raced, new Date(), performance.now());
      throw new Error(String(Math.random()))`;
    const [first, second] = await Promise.all([run(source, { seed: 9, now }), run(source, { seed: 9, now })]);
    expect(withoutUsage(first)).toEqual(withoutUsage(second));
  });
});

describe("timers", () => {
  it.each<[source: string, result: unknown]>([
    ["setTimeout(log, 2, 'b'); setTimeout(log, 1, 'a'); setTimeout(log, 2, 'c')", "abc"],
    ["setTimeout(log, 1, 'b'); setImmediate(log, 'a'); setTimeout(log, 0, 'c')", "abc"],
    ["setTimeout(() => { log('a'); setTimeout(log, 0, 'c') }); setTimeout(log, 1, 'b')", "abc"],
    ["const id = setTimeout(log, 1, 'x'); clearTimeout(id); setTimeout(log, 2, 'a')", "a"],
    ["const id = setImmediate(log, 'x'); clearImmediate(id); log('a')", "a"],
    ["let n = 0; const id = setInterval(() => { log(n++); if (n === 3) clearInterval(id) }, 5)", "012"],
    ["const id = setInterval(() => { clearInterval(id); log('a') }, 5); setTimeout(log, 50, 'b')", "ab"],
    ["const a = setTimeout(log, 2, 'x'); setTimeout(() => { clearTimeout(a); log('a') }, 1)", "a"],
    [
      "setTimeout(log, -1, 'a'); setTimeout(log, NaN, 'b'); setTimeout(log, 2 ** 31, 'c'); setTimeout(log, '1', 'd')",
      "abcd",
    ],
    ["setTimeout(log, 1.9, 'a'); setTimeout(log, 1, 'b')", "ab"],
    ["clearTimeout(undefined); clearTimeout(99); clearInterval(null); log('a')", "a"],
    ["Promise.resolve().then(() => log('b')); setTimeout(log, 0, 'c'); log('a')", "abc"],
    ["queueMicrotask(() => log('b')); log('a')", "ab"],
  ])("run in their order: %s", async (source, result) => {
    const program = `const said = []; const log = (text) => said.push(text); setTimeout(() => { result = said.join("") }, 1000); var result = ""; ${source}`;
    expect(await run(program)).toMatchObject({ ok: true, result });
  });

  it("that are left when the program has ended run, as in Node", async () => {
    const observation = await run("setTimeout(() => console.log('late'), 60_000); 5");
    expect(observation).toMatchObject({ ok: true, result: 5, stdout: ["late"] });
    expect(observation.usage.wallMs).toBeLessThan(1000);
  });

  it("need a function", async () => {
    for (const name of ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"]) {
      expect(await run(`${name}("code")`)).toMatchObject({ status: "error", error: "TypeError" });
    }
  });

  it("are counted, and too many end the run", async () => {
    const three = "for (let n = 0; n < 3; n++) setTimeout(() => {}); 1";
    expect(await run(three, { limits: { timerTurns: 3 } })).toMatchObject({ ok: true, result: 1 });
    expect(await run(three, { limits: { timerTurns: 2 } })).toMatchObject({ status: "error", error: "TimerLimit" });
    const endless = await run("setInterval(() => {}, 1); 1", { limits: { timeoutMs: 10_000 } });
    expect(endless).toMatchObject({ status: "error", error: "TimerLimit" });
    expect(endless.message).toContain(String(LIMITS.timerTurns.default));
  });

  it("that do not end are a timeout where time runs out first", async () => {
    const busy = "setInterval(() => { for (let n = 0; n < 1e6; n++); }, 1)";
    expect(await run(busy, { limits: { timeoutMs: 300 } })).toMatchObject({ status: "timeout" });
  });
});

describe("a program that waits for what cannot come", () => {
  it.each([
    "await new Promise(() => {})",
    "new Promise(() => {})",
    "const result = new Promise(() => {}); 1",
    "return new Promise(() => {})",
    "await { then() {} }",
    "await Promise.all([1, new Promise(() => {})])",
    "for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) });",
    "setTimeout(() => {}, 10); await new Promise(() => {})",
  ])("is a deadlock at once: %s", async (source) => {
    const observation = await run(source, { limits: { timeoutMs: 10_000 } });
    expect(observation).toMatchObject({ status: "error", error: "Deadlock" });
    expect(observation.usage.wallMs).toBeLessThan(5000);
  });
});
