// Makes the tables of tr46 small and slow to wake: a run that never sees an international name must not pay for them.
// The table of code points is packed into one string and unpacked on first use; patterns stay text until then.

/** What the guest runs to get the rows back: `[[first, last], status, mapping?]`, sorted and without gaps. */
function unpack(text) {
  let first = 0;
  return text.split("\n").map((row) => {
    const size = row.indexOf("_");
    const last = first + (size === 0 ? 1 : Number.parseInt(row.slice(0, size), 36)) - 1;
    const unpacked = [[first, last], Number(row[size + 1]), row.slice(size + 2)];
    first = last + 1;
    return unpacked;
  });
}

/** The module `mappingTable.json`, as code. Neighbours that say the same become one row. */
export function packMappingTable(json) {
  const rows = [];
  let next = 0;
  for (const [range, status, mapping = ""] of JSON.parse(json)) {
    const [first, last] = Array.isArray(range) ? range : [range, range];
    if (first !== next || mapping.includes("\n")) throw new Error(`tr46: row ${first} cannot be packed.`);
    next = last + 1;
    const previous = rows.at(-1);
    if (mapping === "" && previous?.mapping === "" && previous.status === status) previous.size += next - first;
    else rows.push({ size: next - first, status, mapping });
  }
  const packed = rows.map(({ size, status, mapping }) => `${size === 1 ? "" : size.toString(36)}_${status}${mapping}`);
  return `module.exports = (${unpack})(${JSON.stringify(packed.join("\n"))});`;
}

/** The module `regexes.js`, with each pattern as text: V8 would check a literal although nothing uses it. */
export function deferPatterns(code) {
  let count = 0;
  const deferred = code.replace(/^const (\w+) = \/(.*)\/u;$/gm, (_line, name, source) => {
    count++;
    // Not `new RegExp("…")`: a minifier makes a literal of that.
    return `const ${name} = Reflect.construct(RegExp, [${JSON.stringify(source)}, "u"]);`;
  });
  if (count !== 12) throw new Error(`tr46: expected 12 patterns, found ${count}.`);
  return deferred;
}
