/**
 * Python's time: texts of dates as CPython 3.13 writes them with glibc, IANA's zones against the host's own, and timers.
 * What is expected here was printed by that CPython, or is asked of the host's ICU; never of the interpreter under test.
 */

import { describe, expect, it } from "vitest";
import { createPolicy } from "../../src/policy/evaluate.ts";
import { useSandbox } from "../fixtures/use-sandbox.ts";

const { run: runAny } = useSandbox({ workers: 1, standby: 0, python: { workers: 1, prepared: 1 } });
const permits = createPolicy("standard").permits("python");
const run: typeof runAny = (source, asked) =>
  runAny(source, { language: "python", permits, limits: { timeoutMs: 30_000 }, ...asked });

describe("strftime", () => {
  const MOMENT = "datetime.datetime(2024, 3, 5, 7, 8, 9, 123)";
  it.each([
    ["%d-%^b-%Y", "05-MAR-2024"],
    ["x %+ y", "x %+ y"],
    ["%^a %^B %#B %#a", "TUE MARCH MARCH TUE"],
    ["%-k|%-l|%6l|%10A|%5d|%_5d|%-d|%_d|%010Y", "7|7|     7|   Tuesday|00005|    5|5| 5|0000002024"],
    ["%^10a|%-j|%3S|%Ey|%Od|%-I:%M %p|%P|%#p", "       TUE|65|009|24|05|7:08 AM|am|am"],
    ["%C|%G-W%V-%u|%e|%_H|%0e|%s", "20|2024-W10-2| 5| 7|05|1709622489"],
    ["%%d %5% %q %", "%d     % %q %"],
    ["%D|%F|%T|%R|%r|%x|%X|%h|%n|%t|", "03/05/24|2024-03-05|07:08:09|07:08|07:08:09 AM|03/05/24|07:08:09|Mar|\n|\t|"],
    ["%^c|%020F|%-10d", "TUE MAR  5 07:08:09 2024|00000000002024-03-05|         5"],
  ])("%j", async (format, text) => {
    const source = `import datetime\nresult = ${MOMENT}.strftime(${JSON.stringify(format)})`;
    expect(await run(source)).toMatchObject({ result: text });
  });

  it("fills no memory, however wide a text is asked for", async () => {
    const source = 'import time\nresult = len(time.strftime("%999999999Y%999999999A", time.gmtime(0)))';
    expect(await run(source)).toMatchObject({ result: 20_000 });
  });

  it("tells the zone that it is given, and of a plain tuple the local one", async () => {
    const source = `import time, datetime
plain = (2024, 3, 5, 7, 8, 9, 1, 65, 0)
aware = ${MOMENT}.replace(tzinfo=datetime.timezone.utc)
result = [time.strftime("%H:%M %Z", plain), time.strftime("%#Z", time.gmtime(0)), time.strftime("%Z|", ${MOMENT}.timetuple()),
          aware.strftime("%z %Z %:z")]`;
    expect(await run(source)).toMatchObject({ result: ["07:08 UTC", "utc", "|", "+0000 UTC +00:00"] });
  });
});

describe("time zones", () => {
  /** Until then every copy of the database says the same. */
  const UNTIL = Date.UTC(2024);
  const moments = Array.from({ length: 40 }, (_, at) => Math.floor(((at + 0.37) / 40) * (UNTIL / 1000)));
  const KEPT = /^(?:[A-Z]\w+\/.*|UTC|GMT|Japan|Cuba)$/;

  it("have the offsets that the host's ICU has", async () => {
    const source = `from zoneinfo import ZoneInfo, available_timezones
from datetime import datetime, timezone
moments = [datetime.fromtimestamp(each, timezone.utc) for each in input]
result = {name: [int(each.astimezone(ZoneInfo(name)).utcoffset().total_seconds()) for each in moments]
          for name in sorted(available_timezones())}`;
    const { result } = await run(source, { input: moments, limits: { timeoutMs: 30_000, resultBytes: 1_000_000 } });
    const told = result as Record<string, number[]>;
    expect(Object.keys(told).length).toBeGreaterThan(590);
    const wrong: string[] = [];
    let compared = 0;
    for (const [name, offsets] of Object.entries(told)) {
      if (!KEPT.test(name) || !isKnown(name)) continue;
      for (const [at, offset] of offsets.entries()) {
        compared++;
        const expected = offsetOf(name, (moments[at] as number) * 1000);
        if (offset !== expected)
          wrong.push(`${name} ${new Date((moments[at] as number) * 1000).toISOString()} ${offset} ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(20_000);
  });

  it.each([
    ["America/New_York", "2024-07-01T12:00", ["EDT", -4, 1]],
    ["America/New_York", "2024-12-01T12:00", ["EST", -5, 0]],
    ["Europe/Paris", "2051-08-15T12:00", ["CEST", 2, 1]],
    ["Europe/London", "1970-01-01T12:00", ["BST", 1, 0]],
    ["Europe/Dublin", "2024-12-01T12:00", ["GMT", 0, -1]],
    ["Asia/Tokyo", "2024-07-01T12:00", ["JST", 9, 0]],
    ["Asia/Kolkata", "2024-07-01T12:00", ["IST", 5.5, 0]],
    ["Asia/Jerusalem", "2400-06-01T12:00", ["IDT", 3, 1]],
    ["Australia/Lord_Howe", "2300-01-15T12:00", ["+11", 11, 0.5]],
    ["America/Nuuk", "2200-06-01T12:00", ["-01", -1, 1]],
    ["Africa/Casablanca", "2024-03-20T12:00", ["+00", 0, -1]],
    ["GMT", "2024-07-01T12:00", ["GMT", 0, 0]],
    ["UTC", "2024-07-01T12:00", ["UTC", 0, 0]],
  ])("%s at %s is %j", async (zone, moment, expected) => {
    const source = `from zoneinfo import ZoneInfo
from datetime import datetime
d = datetime.fromisoformat("${moment}").replace(tzinfo=ZoneInfo("${zone}"))
result = [d.tzname(), d.utcoffset().total_seconds() / 3600, d.dst().total_seconds() / 3600]`;
    expect((await run(source)).result).toEqual(expected);
  });

  it("know hours that are twice and hours that are not, and local time is UTC all the same", async () => {
    const source = `from zoneinfo import ZoneInfo
from datetime import datetime
import time
zone = ZoneInfo("America/New_York")
twice = datetime(2024, 11, 3, 1, 30, tzinfo=zone)
result = [str(twice), str(twice.replace(fold=1)), str(datetime(2024, 3, 10, 2, 30, tzinfo=zone)), time.tzname[0], repr(zone)]`;
    expect(await run(source)).toMatchObject({
      result: [
        "2024-11-03 01:30:00-04:00",
        "2024-11-03 01:30:00-05:00",
        "2024-03-10 02:30:00-05:00",
        "UTC",
        "zoneinfo.ZoneInfo(key='America/New_York')",
      ],
    });
  });

  it.each([
    ["Europe/Pari", "ZoneInfoNotFoundError"],
    ["Europe/Paris 0 9", "ZoneInfoNotFoundError"],
    ["Europe/Paris\nx", "ZoneInfoNotFoundError"],
    ["Europe", "ZoneInfoNotFoundError"],
    ["", "ValueError"],
    ["/etc/passwd", "ValueError"],
    ["../UTC", "ValueError"],
  ])("there is none called %j", async (name, error) => {
    const { stdout } = await run(
      `from zoneinfo import ZoneInfo\ntry: ZoneInfo(${JSON.stringify(name)})\nexcept Exception as e: print(type(e).__name__)`,
    );
    expect(stdout).toEqual([error]);
  });
});

function isKnown(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** Seconds east of UTC, of the host's own. */
function offsetOf(zone: string, time: number): number {
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  const text = format.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?/.exec(text) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) || 0;
}

describe("timers", () => {
  it("of one moment come in the order in which they were set", async () => {
    const source = `import asyncio
order = []
async def wait(n):
    await asyncio.sleep(0.1)
    order.append(n)
async def main():
    await asyncio.gather(*(wait(n) for n in range(9)))
    loop = asyncio.get_running_loop()
    for n in range(9, 17): loop.call_later(0.01, order.append, n)
    await asyncio.sleep(0.02)
    async def late(n):
        await asyncio.sleep(0.01)
        if n: raise ValueError(n)
    try: await asyncio.gather(*(late(n) for n in range(5)))
    except ValueError as error: order.append(str(error))
asyncio.run(main())
result = order`;
    expect((await run(source)).result).toEqual([...Array(17).keys(), "1"]);
  });

  it("of other moments come by them, whatever was set first", async () => {
    const source =
      "import asyncio\norder = []\nasync def wait(s):\n    await asyncio.sleep(s)\n    order.append(s)\nasync def main(): await asyncio.gather(*map(wait, [5, 1, 3, 1e9, 2, 4]))\nasyncio.run(main())\nresult = order";
    expect((await run(source)).result).toEqual([1, 2, 3, 4, 5, 1e9]);
  });

  it.each([
    ["time.sleep(1e20)", "OverflowError: timestamp out of range for platform time_t"],
    ["time.sleep(10**30)", "OverflowError: timestamp too large to convert to C PyTime_t"],
    ["time.sleep(float('inf'))", "OverflowError: timestamp out of range for platform time_t"],
    [
      "time.sleep(decimal.Decimal('0.1'))",
      "TypeError: 'decimal.Decimal' object cannot be interpreted as an integer or float",
    ],
    ["time.sleep(-1)", "ValueError: sleep length must be non-negative"],
  ])("%s is refused", async (call, told) => {
    const source = `import time, decimal\ntry: ${call}\nexcept Exception as e: print(type(e).__name__ + ': ' + str(e))`;
    expect((await run(source)).stdout).toEqual([told]);
  });

  it("functions of the library that are ours are taken into a class as those of C are", async () => {
    const source = `import time, hashlib
class Retry:
    sleep, now, text, derive = time.sleep, time.process_time, time.strftime, hashlib.pbkdf2_hmac
r = Retry()
r.sleep(0.5)
result = [r.now(), r.text("%Y", (2024, 1, 1, 0, 0, 0, 0, 1, 0)), r.derive("sha256", b"a", b"b", 1).hex()[:4], time.sleep.__module__,
          time.sleep.__name__]`;
    expect(await run(source)).toMatchObject({ result: [0, "2024", expect.any(String), "time", "sleep"] });
  });
});
