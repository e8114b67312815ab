/**
 * The generated URL library in a context that has nothing: no Node, no SharedArrayBuffer, no resizable buffers.
 * Node's own URL is the judge: same answer, or both refuse.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { describe, expect, it } from "vitest";

const text = readFileSync(join(import.meta.dirname, "../../src/worker/guest/url.generated.js"), "utf8");

const context = createContext({ TextEncoder, TextDecoder, text });
runInContext(
  `for (const name of ["SharedArrayBuffer", "WebAssembly", "Atomics"]) delete globalThis[name];
   for (const name of ["resizable", "maxByteLength", "resize", "transfer"]) delete ArrayBuffer.prototype[name];
   const library = Function("TextEncoder", "TextDecoder", "return " + text)(TextEncoder, TextDecoder);
   const { URL, URLSearchParams } = library;`,
  context,
);
const evaluate = (code: string): unknown => JSON.parse(runInContext(`JSON.stringify(${code})`, context) as string);

const PARTS = [
  "href",
  "origin",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
];

function describeUrl(make: () => Record<string, unknown>): unknown {
  try {
    const url = make();
    return PARTS.map((part) => String(url[part]));
  } catch (error) {
    return (error as Error).name;
  }
}

function describeInside(input: string, base?: string): unknown {
  const args = [input, ...(base === undefined ? [] : [base])].map((arg) => JSON.stringify(arg)).join(", ");
  const parts = `${JSON.stringify(PARTS)}.map((part) => String(url[part]))`;
  return evaluate(
    `(() => { try { const url = new URL(${args}); return ${parts}; } catch (error) { return error.name; } })()`,
  );
}

describe("the bundled URL", () => {
  it.each<[string, string?]>([
    ["https://example.com"],
    ["https://user:p%40ss@example.com:8443/a/b/../c/./d?x=1&y=a+b#frag"],
    ["HTTP://EXAMPLE.com:80/%7Efoo/%zz"],
    ["https://exämple.com/pfad?ü=ö#ß"],
    ["https://faß.de"],
    ["https://ＥＸＡＭＰＬＥ.com"],
    ["https://日本語.jp/パス"],
    ["https://אבג.com"],
    ["https://א1a.com"],
    ["https://xn--exmple-cua.com"],
    ["https://xn--a.com"],
    ["https://xn--zn7c.com"],
    ["https://a‌b.com"],
    ["https://क्‍ष.com"],
    ["https://☕.example"],
    ["https://𝔸.com"],
    ["https://a\u00adb.com"],
    ["https://a b.com"],
    ["https://exa%6Dple.com"],
    ["http://0x7f.1/"],
    ["http://256.1.1.1/"],
    ["http://[::1]:80/"],
    ["http://[1:2:3:4:5:6:7:8]"],
    ["http://[::g]"],
    ["http://a:99999/"],
    ["http:///a"],
    ["mailto:someone@example.com?subject=hi there"],
    ["data:text/plain,hello world#x y"],
    ["javascript:alert(1)"],
    ["file:///C|/a/../b"],
    ["blob:https://example.com/id"],
    ["../c?d='#f", "https://u:p@h:8080/a/b/c"],
    ["//other/x", "https://example.com/a"],
    ["?q", "https://example.com/a?b#c"],
    ["#q", "data:text/plain,x"],
    ["x", "data:text/plain,x"],
    ["nothing"],
    [""],
    ["  https://example.com/\t\n a  "],
    ["https://example.com/\ud800?\udc00"],
    ["https://example.com/\u0000\u001f\u007f`{}^|\\"],
  ])("reads %j like Node's own", (input, base) => {
    const wanted = describeUrl(() => new URL(input, base) as unknown as Record<string, unknown>);
    expect(describeInside(input, base)).toEqual(wanted);
  });

  it("has setters, canParse, parse, toJSON and live search parameters", () => {
    const code = `(() => {
      const url = new URL("http://a/?q=1&q=2");
      url.searchParams.append("z", "ü &");
      url.hash = "x y"; url.port = "8080"; url.hostname = "münchen.de"; url.pathname = "/a b";
      return { url, list: [...url.searchParams], can: [URL.canParse("x"), URL.canParse("x:y")], parsed: URL.parse("x") };
    })()`;
    expect(evaluate(code)).toEqual({
      url: "http://xn--mnchen-3ya.de:8080/a%20b?q=1&q=2&z=%C3%BC+%26#x%20y",
      list: [
        ["q", "1"],
        ["q", "2"],
        ["z", "ü &"],
      ],
      can: [false, true],
      parsed: null,
    });
  });

  it("has search parameters of its own, from text, pairs and records", () => {
    const code = `["?a=1&b=%20+&a=%FF", [["a", "1"], ["b", "é"]], { a: 1, b: "x y" }].map((init) => new URLSearchParams(init).toString())`;
    const inits: ConstructorParameters<typeof URLSearchParams>[0][] = [
      "?a=1&b=%20+&a=%FF",
      [
        ["a", "1"],
        ["b", "é"],
      ],
      { a: "1", b: "x y" },
    ];
    expect(evaluate(code)).toEqual(inits.map((init) => new URLSearchParams(init).toString()));
    expect(
      evaluate(
        `(() => { const p = new URLSearchParams("b=1&a=2&a=1"); p.sort(); return [p.getAll("a"), p.has("b", "1"), p.size, String(p)]; })()`,
      ),
    ).toEqual([["2", "1"], true, 3, "a=2&a=1&b=1"]);
  });

  it("throws TypeError and keeps the names of its classes", () => {
    expect(
      evaluate(`[URL.name, URLSearchParams.name, Object.prototype.toString.call(new URL("a:b")), URL.length]`),
    ).toEqual(["URL", "URLSearchParams", "[object URL]", 1]);
    expect(
      evaluate(
        `(() => { try { new URL("nothing"); } catch (error) { return [error instanceof TypeError, error.message]; } })()`,
      ),
    ).toEqual([true, "Invalid URL: nothing"]);
  });

  it("adds nothing to the global object", () => {
    expect(evaluate(`Object.getOwnPropertySymbols(globalThis).length`)).toBe(0);
    const bare = createContext({ TextEncoder, TextDecoder, text });
    const names = "Object.getOwnPropertyNames(globalThis).sort().join()";
    const before = runInContext(names, bare) as string;
    runInContext(`Function("return " + text)()`, bare);
    expect(runInContext(names, bare)).toBe(before);
  });

  it("is one small ASCII expression that carries the licences of what is in it", () => {
    expect(text).toMatch(/^\(function\(\)\{\/\*!\n[\s\S]*\}\)\(\)\n$/);
    expect(/[^\x00-\x7f]/.test(text)).toBe(false);
    expect(text.length).toBeLessThan(250 * 1024);
    for (const name of ["whatwg-url", "tr46", "webidl-conversions", "punycode"])
      expect(text).toMatch(new RegExp(`^${name} \\d`, "m"));
    expect(text).not.toMatch(/\brequire\(|\bimport\b *\(|\bprocess\.|\bBuffer\b/);
  });
});
