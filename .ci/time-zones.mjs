// Makes the files of IANA's time zones that Python's `zoneinfo` reads (TZif, RFC 9636) from moment-timezone's tables, which
// follow each release of that database. Where a table goes on for centuries, the rule at its end is told in place of it.
import { deflateSync } from "node:zlib";
import moment from "moment-timezone";

const DAY_S = 86_400;
const SUMMER_MAX_S = 345 * DAY_S;
/** A table that goes on until then has a rule without an end. */
const RULE_UNTIL = Date.UTC(2090) / 1000;
/** Changes, by which a rule must at least be shown. */
const RULE_CHANGES = 20;
/** Names that are given to summer time alone, and those of the two world wars. */
const SUMMER = /^(?:[A-Z]{1,4}DT|(?:CE|WE|EE|ME)M?ST|MSD|[A-Z]{1,2}[WP]T)$/;
/** Names that are given to standard time alone; BST and IST are both, and Africa has others. */
const STANDARD = /^(?!BST$|IST$|[CW]AST$)[A-Z]{1,4}ST$/;
/** Where winter time is the one that is counted as an exception, by law: [its name, in seconds since 1970]. */
const WINTER = {
  "Africa/Casablanca": ["+00", Date.UTC(2018, 9) / 1000],
  "Africa/El_Aaiun": ["+00", Date.UTC(2018, 9) / 1000],
  "Africa/Windhoek": ["WAT", Date.UTC(1994, 2) / 1000],
  "Europe/Dublin": ["GMT", Date.UTC(1971, 9) / 1000],
};

/** What a zone's clocks show, one stretch after the other. @returns [{ name, offset (seconds east), from (seconds), isSummer }] */
function stretchesOf(zone) {
  const stretches = zone.abbrs.map((name, at) => ({
    name,
    offset: Math.round(-zone.offsets[at] * 60),
    from: at === 0 ? Number.NEGATIVE_INFINITY : Math.round(zone.untils[at - 1] / 1000),
    isSummer: false,
  }));
  markSummer(stretches, WINTER[zone.name]);
  return stretches;
}

/** The tables do not say which is summer time: it has a name of its own, or is ahead for less than a year. */
function markSummer(stretches, winter) {
  let standard = stretches[0].offset;
  for (const [at, stretch] of stretches.entries()) {
    const { name, offset, from } = stretch;
    if (winter !== undefined && from >= winter[1]) stretch.isSummer = name === winter[0];
    else if (SUMMER.test(name)) stretch.isSummer = true;
    else if (stretch.isSummer) continue;
    else if (offset <= standard || STANDARD.test(name)) standard = offset;
    else {
      const isLast = at === stretches.length - 1;
      const back = stretches.findIndex((other, index) => index > at && other.offset <= standard);
      const before = stretches[at - 2];
      const isShort = isLast ? before?.isSummer && before.name === name : stretches[back]?.from - from < SUMMER_MAX_S;
      if (!isShort) standard = offset;
      else for (const each of stretches.slice(at, isLast ? undefined : back)) each.isSummer = true;
    }
  }
}

/** Once a year: month, week (5: the last), day of the week and seconds since midnight; null where no such rule gives these. */
function findRule(times, offset) {
  for (let later = -1; later <= 6 && times.length > 0; later++) {
    const days = times.map((time) => {
      const date = new Date((time - later * DAY_S + offset) * 1000);
      const day = date.getUTCDate();
      const isLast = new Date(date.getTime() + 7 * DAY_S * 1000).getUTCMonth() !== date.getUTCMonth();
      const seconds = (date.getTime() % (DAY_S * 1000)) / 1000 + later * DAY_S;
      return {
        year: date.getUTCFullYear(),
        month: date.getUTCMonth() + 1,
        weekday: date.getUTCDay(),
        day,
        isLast,
        seconds,
      };
    });
    const [first] = days;
    const isSame = (key) => days.every((day) => day[key] === first[key]);
    const isYearly = days.every(({ year }, at) => year === first.year + at);
    if (!isYearly || !["month", "weekday", "seconds"].every(isSame)) continue;
    const week = Math.ceil(first.day / 7);
    if (days.every(({ isLast }) => isLast)) return { ...first, week: 5 };
    if (week < 5 && days.every(({ day }) => Math.ceil(day / 7) === week)) return { ...first, week };
  }
  return null;
}

function clock(seconds) {
  const size = Math.abs(seconds);
  const parts = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60];
  while (parts.length > 1 && parts.at(-1) === 0) parts.pop();
  const [hours, ...rest] = parts;
  return `${seconds < 0 ? "-" : ""}${[hours, ...rest.map((part) => `${part}`.padStart(2, "0"))].join(":")}`;
}

const zoneText = ({ name, offset }) => `${/^[A-Za-z]+$/.test(name) ? name : `<${name}>`}${clock(-offset)}`;
const ruleText = ({ month, week, weekday, seconds }) =>
  `,M${month}.${week}.${weekday}${seconds === 7200 ? "" : `/${clock(seconds)}`}`;

/** What is to be told: the stretches until the rule holds, and the rule as POSIX writes it. */
function withRule(stretches, name) {
  const last = stretches.at(-1);
  if (last.from < RULE_UNTIL) return { told: stretches, rule: zoneText(last) };
  const summer = stretches.findLast(({ isSummer }) => isSummer);
  const standard = stretches.findLast(({ isSummer }) => !isSummer);
  const rulesFrom = (start) => {
    const rest = stretches.slice(start);
    const isPair = rest.every((each, at) => {
      const { name: text, offset } = each.isSummer ? summer : standard;
      return each.name === text && each.offset === offset && each.isSummer === (rest[0].isSummer === (at % 2 === 0));
    });
    const changes = (isSummer) => rest.filter((each) => each.isSummer === isSummer).map(({ from }) => from);
    const [begin, end] = [
      isPair && findRule(changes(true), standard.offset),
      isPair && findRule(changes(false), summer.offset),
    ];
    return begin && end ? [begin, end] : null;
  };
  // The first change from which on one rule gives all that follow.
  let [low, high] = [1, stretches.length - RULE_CHANGES];
  if (rulesFrom(high) === null) throw new Error(`${name}: no rule gives the changes at the end of its table`);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rulesFrom(middle)) high = middle;
    else low = middle + 1;
  }
  const isHour = summer.offset === standard.offset + 3600;
  const summerText = isHour ? zoneText({ ...summer, offset: 0 }).slice(0, -1) : zoneText(summer);
  return {
    told: stretches.slice(0, high + 2),
    rule: `${zoneText(standard)}${summerText}${rulesFrom(high).map(ruleText).join("")}`,
  };
}

function header(counts) {
  const bytes = Buffer.alloc(44);
  bytes.write("TZif2", "latin1");
  for (const [at, count] of counts.entries()) bytes.writeUInt32BE(count, 20 + 4 * at);
  return bytes;
}

/** A file of one zone: nothing in the old block of 32 bits, all of it in the second. */
function writeZone(name) {
  const { told, rule } = withRule(stretchesOf(moment.tz.zone(name)), name);
  const kinds = new Map();
  for (const { name: text, offset, isSummer } of told) {
    const key = `${offset} ${isSummer} ${text}`;
    if (!kinds.has(key)) kinds.set(key, { index: kinds.size, text, offset, isSummer });
  }
  const kindOf = ({ name: text, offset, isSummer }) => kinds.get(`${offset} ${isSummer} ${text}`).index;
  const names = [...new Set(told.map((each) => each.name))].map((text) => `${text}\0`).join("");
  const changes = told.slice(1);
  const times = Buffer.alloc(changes.length * 8);
  for (const [at, { from }] of changes.entries()) times.writeBigInt64BE(BigInt(from), at * 8);
  const types = Buffer.alloc(kinds.size * 6);
  for (const { index, text, offset, isSummer } of kinds.values()) {
    types.writeInt32BE(offset, index * 6);
    types.writeUInt8(Number(isSummer), index * 6 + 4);
    types.writeUInt8(`\0${names}`.indexOf(`\0${text}\0`), index * 6 + 5);
  }
  return Buffer.concat([
    header([0, 0, 0, 0, 1, 1]),
    Buffer.alloc(7),
    header([0, 0, 0, changes.length, kinds.size, names.length]),
    times,
    Buffer.from(changes.map(kindOf)),
    types,
    Buffer.from(`${names}\n${rule}\n`, "latin1"),
  ]);
}

/**
 * Every zone's file, compressed, one after the other, and where each lies; zones that are the same have the same file.
 * @returns { version, index: lines of a name, a start and an end, data: base64 }
 */
export function packTimeZones() {
  const places = new Map();
  const packed = [];
  let end = 0;
  const lines = moment.tz.names().map((name) => {
    const file = writeZone(name);
    const key = file.toString("latin1");
    if (!places.has(key)) {
      packed.push(deflateSync(file, { level: 9 }));
      places.set(key, `${end} ${(end += packed.at(-1).length)}`);
    }
    return `${name} ${places.get(key)}\n`;
  });
  return { version: moment.tz.dataVersion, index: lines.join(""), data: Buffer.concat(packed).toString("base64") };
}
