/**
 * Each key of `when`, with facts that hold, that do not, and that leave it open.
 */

import { describe, expect, test } from "vitest";
import { parsePolicyDocument } from "../../src/policy/document.ts";
import { CONDITIONS, type ConditionKey } from "../../src/policy/rules/index.ts";
import { testWhen } from "../../src/policy/when.ts";
import type { Facts } from "../../src/types.ts";
import { makeFacts, makeManifest } from "./facts.ts";

function find(when: object, facts: Facts) {
  const rule = { id: "rule", effect: "deny", when, message: "No." };
  const document = {
    version: 1,
    name: "p",
    defaultEffect: "deny",
    languages: ["javascript"],
    tools: ["t"],
    rules: [rule],
  };
  return testWhen(parsePolicyDocument(document).rules[0]?.when ?? {}, facts).holds;
}

const seen = (given: Parameters<typeof makeManifest>[0]) => makeFacts({ manifest: makeManifest(given) });
const { manifest: _manifest, ...blind } = makeFacts();
const broken = seen({ syntaxError: { message: "Unexpected token" }, complete: false });

describe("what a condition finds", () => {
  const cases: [when: object, facts: Facts, holds: "yes" | "no" | "unknown"][] = [
    [{}, makeFacts(), "yes"],
    [{}, blind, "yes"],
    [{ language: "python" }, makeFacts({ language: "python" }), "yes"],
    [{ language: "python" }, makeFacts(), "no"],
    [{ imports: { anyOf: ["fs"] } }, seen({ imports: ["net", "fs"] }), "yes"],
    [{ imports: { anyOf: ["fs"] } }, seen({ imports: ["fs/promises"] }), "no"],
    [{ imports: { anyOf: ["fs*"] } }, seen({ imports: ["fs/promises"] }), "yes"],
    [{ imports: { anyOf: ["*"] } }, seen({ imports: ["fs"] }), "yes"],
    [{ imports: { anyOf: ["*"] } }, seen({}), "no"],
    [{ imports: { noneOf: ["math", "json"] } }, seen({ imports: ["math", "json"] }), "no"],
    [{ imports: { noneOf: ["math", "json"] } }, seen({ imports: ["math", "os"] }), "yes"],
    [{ imports: { noneOf: [] } }, seen({ imports: ["math"] }), "yes"],
    [{ imports: { noneOf: [] } }, seen({}), "no"],
    [{ members: { anyOf: ["__*"], noneOf: ["__init__"] } }, seen({ members: ["__init__", "append"] }), "no"],
    [{ members: { anyOf: ["__*"], noneOf: ["__init__"] } }, seen({ members: ["__init__", "__code__"] }), "yes"],
    [{ imports: { anyOf: ["fs"] } }, seen({ undetermined: ["imports"] }), "unknown"],
    [{ imports: { anyOf: ["fs"] } }, seen({ imports: ["fs"], undetermined: ["imports"] }), "yes"],
    [{ imports: { anyOf: ["fs"] } }, seen({ undetermined: ["members"] }), "no"],
    [{ imports: { anyOf: ["fs"], unknown: "ignore" } }, seen({ undetermined: ["imports"] }), "no"],
    [{ imports: { anyOf: ["fs"], unknown: "match" } }, seen({ undetermined: ["imports"] }), "unknown"],
    [{ globals: { noneOf: ["Math"] } }, seen({ globals: ["Math", "fetch"] }), "yes"],
    [{ globals: { noneOf: ["Math"] } }, seen({ undetermined: ["globals"] }), "unknown"],
    [{ globals: { noneOf: ["Math"] } }, blind, "unknown"],
    [{ globals: { noneOf: ["Math"], unknown: "ignore" } }, blind, "no"],
    [{ globals: { noneOf: [] } }, broken, "no"],
    [{ dynamicCode: { noneOf: ["eval(expression)"] } }, seen({ dynamicCode: ["eval(expression)"] }), "no"],
    [{ dynamicCode: { noneOf: ["eval(expression)"] } }, seen({ dynamicCode: ["eval(expression)", "exec"] }), "yes"],
    [{ dynamicCode: { noneOf: ["eval(expression)"] } }, seen({ undetermined: ["dynamicCode"] }), "unknown"],
    [{ dynamicCode: true }, seen({ dynamicCode: ["eval(expression)"] }), "yes"],
    [{ privateAccess: true }, seen({ privateAccess: ["_x"] }), "yes"],
    [{ privateAccess: true }, seen({}), "no"],
    [{ privateAccess: true }, seen({ undetermined: ["members"] }), "unknown"],
    [{ privateAccess: true }, blind, "unknown"],
    [{ privateAccess: true }, broken, "no"],
    [{ dynamicCode: true }, seen({ dynamicCode: ["eval"] }), "yes"],
    [{ dynamicCode: true }, seen({ undetermined: ["members"] }), "no"],
    [{ dynamicCode: true }, seen({ undetermined: ["dynamicCode"] }), "unknown"],
    [{ dynamicCode: true }, blind, "unknown"],
    [{ sourceChars: { over: 3 } }, makeFacts({ source: "abcd" }), "yes"],
    [{ sourceChars: { over: 4 } }, makeFacts({ source: "abcd" }), "no"],
    [{ sourceChars: { over: 3 } }, { ...broken, source: "abcd" }, "yes"],
    [{ nesting: { over: 2 } }, seen({ nesting: 3 }), "yes"],
    [{ nesting: { over: 2 } }, seen({ nesting: 2 }), "no"],
    [{ nesting: { over: 2 } }, blind, "unknown"],
    [{ repeat: { failures: 2 } }, makeFacts({ identicalFailures: 2 }), "yes"],
    [{ repeat: { failures: 2 } }, makeFacts({ identicalFailures: 1 }), "no"],
    [{ threadRuns: { over: 3 } }, makeFacts({ threadRuns: 3 }), "yes"],
    [{ threadRuns: { over: 3 } }, makeFacts({ threadRuns: 2 }), "no"],
    [{ threadRuns: { over: 3 } }, makeFacts(), "unknown"],
    [{ threadMs: { over: 500 } }, makeFacts({ threadMs: 500.5 }), "yes"],
    [{ threadMs: { over: 500 } }, makeFacts({ threadMs: 500 }), "no"],
    [{ threadMs: { over: 500 } }, makeFacts(), "unknown"],
    [{ dynamicCode: true, nesting: { over: 2 } }, seen({ dynamicCode: ["eval"], nesting: 3 }), "yes"],
    [{ dynamicCode: true, nesting: { over: 2 } }, seen({ dynamicCode: ["eval"], nesting: 1 }), "no"],
    [{ imports: { anyOf: ["fs"] }, nesting: { over: 2 } }, seen({ nesting: 3, undetermined: ["imports"] }), "unknown"],
    [{ imports: { anyOf: ["fs"] }, nesting: { over: 2 } }, seen({ nesting: 1, undetermined: ["imports"] }), "no"],
    [{ globals: { anyOf: ["constructor", "__proto__"] } }, seen({ globals: ["toString"] }), "no"],
  ];
  test.each(cases)("%j on %j: %s", (when, facts, holds) => {
    expect(find(when, facts)).toBe(holds);
  });

  test("every key that is registered has a case here", () => {
    const tried = new Set(cases.flatMap(([when]) => Object.keys(when)));
    expect([...tried].toSorted()).toEqual(Object.keys(CONDITIONS).toSorted());
  });

  test("a key reads the manifest exactly where it says so", () => {
    for (const key of Object.keys(CONDITIONS) as ConditionKey[]) {
      const [when, facts] = cases.find(([when]) => Object.keys(when).join() === key) ?? [{}, blind];
      let read = false;
      const watched = Object.defineProperty({ ...facts }, "manifest", { get: () => ((read = true), makeManifest()) });
      find(when, watched);
      expect([key, read]).toEqual([key, CONDITIONS[key].readsManifest]);
    }
  });

  test("what it says names a few of the names and no more", () => {
    const names = Array.from({ length: 99 }, (_, index) => "n".repeat(99) + index);
    const { why } = testWhen({ globals: { noneOf: [] } }, seen({ globals: names }));
    expect(why).toMatch(/^globals: n+…, .* and 94 more$/);
    expect(why.length).toBeLessThan(300);
  });
});
