/**
 * Documents: what is accepted, and how a wrong one is refused.
 */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { SandboxError } from "../../src/errors.ts";
import { parsePolicyDocument, policyJsonSchema } from "../../src/policy/document.ts";
import { createPolicy } from "../../src/policy/evaluate.ts";
import { CONDITIONS } from "../../src/policy/rules/index.ts";

const VALID = {
  version: 1,
  name: "mine",
  defaultEffect: "deny",
  languages: ["javascript"],
  tools: ["run_javascript_sandboxed"],
  rules: [{ id: "imports", effect: "deny", when: { imports: { noneOf: ["math"] } }, message: "No." }],
};

const withRule = (rule: object) => ({ ...VALID, rules: [{ ...VALID.rules[0], ...rule }] });
const withWhen = (when: unknown) => withRule({ when });

function refusalOf(document: unknown): string {
  try {
    parsePolicyDocument(document);
  } catch (error) {
    expect(error).toBeInstanceOf(SandboxError);
    expect((error as SandboxError).code).toBe("INVALID_OPTIONS");
    return (error as SandboxError).message;
  }
  throw new Error("The document was accepted.");
}

describe("a document", () => {
  test("is taken as it is, and frozen", () => {
    const document = parsePolicyDocument(VALID);
    expect(document).toEqual(VALID);
    expect(Object.isFrozen(document.rules[0]?.when.imports?.noneOf)).toBe(true);
  });

  test.each([
    ["a list that matches nothing but what is there", { imports: { noneOf: [] } }],
    ["a prefix", { members: { anyOf: ["_*"], noneOf: ["__name__"], unknown: "ignore" } }],
    ["a rule that always holds", {}],
    [
      "all keys at once",
      {
        language: "python",
        privateAccess: true,
        dynamicCode: true,
        sourceChars: { over: 0 },
        nesting: { over: 9 },
        repeat: { failures: 1 },
        globals: { anyOf: ["*"] },
      },
    ],
  ])("may have %s", (_what, when) => {
    expect(parsePolicyDocument(withWhen(when)).rules[0]?.when).toEqual(when);
  });

  const refusals: [document: unknown, message: RegExp][] = [
    [undefined, /^policy: the document: expected an object, got nothing$/],
    [null, /the document: expected an object, got null/],
    ["strict", /the document: expected an object, got "strict"/],
    [[], /the document: expected an object, got an array of 0/],
    [{ ...VALID, version: 2 }, /version: expected 1, got 2/],
    [{ ...VALID, defaultEffect: "allow" }, /defaultEffect: expected "deny", got "allow"/],
    [{ ...VALID, languages: ["ruby"] }, /languages\[0\]: expected "javascript" or "python", got "ruby"/],
    [{ ...VALID, languages: [] }, /languages: expected at least 1 entries, got an array of 0/],
    [{ ...VALID, tools: "all" }, /tools: expected an array, got "all"/],
    [{ ...VALID, name: "" }, /name: expected at least 1 characters, got ""/],
    [{ ...VALID, rule: [] }, /the document: expected only "\$schema", "version", .* or "rules", got "rule"/],
    [JSON.parse('{"__proto__": {}, "version": 1}'), /name: expected a string, got nothing/],
    [{ ...VALID, builtins: { ruby: [] } }, /builtins: expected only "javascript" or "python", got "ruby"/],
    [{ ...VALID, builtins: { python: [1] } }, /builtins\.python\[0\]: expected a string, got 1/],
    [withRule({ effect: "maybe" }), /rules\[0\]\.effect: expected "allow", "deny" or "ask", got "maybe"/],
    [withRule({ message: undefined }), /rules\[0\]\.message: expected a string, got nothing/],
    [
      withRule({ id: "default" }),
      /rules\[0\]\.id: expected a name other than default, languages, tools, dry-run, got "default"/,
    ],
    [withRule({ if: 1 }), /rules\[0\]: expected only "id", "effect", "when" or "message", got "if"/],
    [{ ...VALID, rules: [VALID.rules[0], VALID.rules[0]] }, /rules\[1\]\.id: expected an id of its own, got "imports"/],
    [withWhen({ import: {} }), /rules\[0\]\.when: expected only "language", "imports", .* or "threadMs", got "import"/],
    [withWhen({ imports: {} }), /rules\[0\]\.when\.imports: expected anyOf, noneOf or both, got an object/],
    [withWhen({ imports: ["fs"] }), /rules\[0\]\.when\.imports: expected an object, got an array of 1/],
    [withWhen({ imports: { anyOf: [] } }), /when\.imports\.anyOf: expected at least 1 entries/],
    [
      withWhen({ imports: { anyOf: ["a*b"] } }),
      /when\.imports\.anyOf\[0\]: expected a name, or the beginning of one followed by \*, got "a\*b"/,
    ],
    [withWhen({ imports: { anyOf: [""] } }), /when\.imports\.anyOf\[0\]: expected at least 1 characters, got ""/],
    [
      withWhen({ globals: { anyOf: ["a"], unknown: "allow" } }),
      /when\.globals\.unknown: expected "match" or "ignore", got "allow"/,
    ],
    [
      withWhen({ members: { allOf: ["a"] } }),
      /when\.members: expected only "anyOf", "noneOf" or "unknown", got "allOf"/,
    ],
    [withWhen({ privateAccess: false }), /when\.privateAccess: expected true, got false/],
    [withWhen({ sourceChars: { over: -1 } }), /when\.sourceChars\.over: expected at least 0, got -1/],
    [withWhen({ nesting: { over: 1.5 } }), /when\.nesting\.over: expected a whole number, got 1.5/],
    [withWhen({ repeat: { failures: 0 } }), /when\.repeat\.failures: expected at least 1, got 0/],
    [withWhen({ repeat: 2 }), /when\.repeat: expected an object, got 2/],
    [withWhen({ language: "typescript" }), /when\.language: expected "javascript" or "python", got "typescript"/],
    [withWhen(undefined), /rules\[0\]\.when: expected an object, got nothing/],
  ];
  test.each(refusals)("%j is refused by name", (document, message) => {
    expect(refusalOf(document)).toMatch(message);
  });

  test("a refusal names every wrong place, and shows no long value in full", () => {
    const message = refusalOf({ ...VALID, version: "x".repeat(1000), name: 7 });
    expect(message).toMatch(/version: .*; name: /);
    expect(message.length).toBeLessThan(300);
  });

  test("has a JSON Schema that knows every key of `when`", () => {
    const schema = JSON.stringify(policyJsonSchema());
    for (const key of Object.keys(CONDITIONS)) expect(schema).toContain(`"${key}":`);
  });

  test("has a JSON Schema that is shipped as it is made now", () => {
    const shipped = readFileSync(new URL("../../src/policy/policy.schema.json", import.meta.url), "utf8");
    expect(JSON.parse(shipped)).toEqual(JSON.parse(JSON.stringify(policyJsonSchema())));
  });

  test("may name its schema, which decides nothing", () => {
    const named = createPolicy({ ...VALID, $schema: "./policy.schema.json" });
    expect(named.digest).toBe(createPolicy(VALID).digest);
  });
});
