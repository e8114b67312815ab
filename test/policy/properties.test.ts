/**
 * What holds of every policy and every manifest, tried on generated ones.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPolicy } from "../../src/policy/evaluate.ts";
import type { Aspect, Effect, Facts, Manifest } from "../../src/types.ts";
import { makeFacts, makeManifest } from "./facts.ts";

const NAMES = ["a", "ab", "b", "_c", "constructor", "__proto__", "toString"];
const names = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 4 });
const entries = fc.uniqueArray(fc.constantFrom(...NAMES, "a*", "_*", "*"), { minLength: 1, maxLength: 3 });
const nameList = fc.oneof(
  entries.map((anyOf) => ({ anyOf })),
  entries.map((noneOf) => ({ noneOf })),
  fc.record({ anyOf: entries, noneOf: entries }),
);
const when = fc.record(
  {
    imports: nameList,
    globals: nameList,
    members: nameList,
    privateAccess: fc.constant(true),
    dynamicCode: fc.constant(true),
    sourceChars: fc.record({ over: fc.nat(10) }),
    nesting: fc.record({ over: fc.nat(5) }),
    repeat: fc.record({ failures: fc.integer({ min: 1, max: 3 }) }),
  },
  { requiredKeys: [] },
);
const effect = fc.constantFrom<Effect>("allow", "ask", "deny");
const rules = fc.array(fc.record({ effect, when }), { maxLength: 6 });
const aspects = fc.uniqueArray(fc.constantFrom<Aspect>("imports", "globals", "members", "dynamicCode"));
const manifests: fc.Arbitrary<Manifest> = fc
  .record({
    imports: names,
    globals: names,
    members: names,
    privateAccess: names,
    dynamicCode: names,
    nesting: fc.nat(6),
    undetermined: aspects,
  })
  .map(makeManifest);
const facts: fc.Arbitrary<Facts> = fc
  .record({ source: fc.string({ maxLength: 12 }), identicalFailures: fc.nat(4), manifest: manifests })
  .map(makeFacts);

const policyOf = (rules: readonly { effect: Effect; when: object }[]) =>
  createPolicy({
    version: 1,
    name: "generated",
    defaultEffect: "deny",
    languages: ["javascript"],
    tools: ["run_javascript_sandboxed"],
    rules: rules.map((rule, index) => ({ id: `rule-${index}`, message: "Message.", ...rule })),
  });

const RANK: Record<Effect, number> = { deny: 0, ask: 1, allow: 2 };

describe("of every policy", () => {
  test("knowing less never allows more", () => {
    const property = fc.property(rules, facts, aspects, (rules, facts, lost) => {
      const policy = policyOf(rules);
      const known = facts.manifest ?? makeManifest();
      const less = { ...facts, manifest: { ...known, undetermined: [...new Set([...known.undetermined, ...lost])] } };
      if (policy.evaluate(less).effect === "allow") expect(policy.evaluate(facts).effect).toBe("allow");
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("without a manifest nothing is allowed that is not allowed whatever the code is", () => {
    const property = fc.property(rules, facts, (rules, facts) => {
      const policy = policyOf(rules);
      const { manifest: _manifest, ...blind } = facts;
      if (policy.evaluate(blind).effect === "allow") expect(policy.evaluate(facts).effect).toBe("allow");
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("one more deny rule never allows more, and the order of rules does not matter", () => {
    const property = fc.property(rules, when, facts, (rules, when, facts) => {
      const before = policyOf(rules).evaluate(facts).effect;
      expect(RANK[policyOf([...rules, { effect: "deny", when }]).evaluate(facts).effect]).toBeLessThanOrEqual(
        RANK[before],
      );
      expect(policyOf(rules.toReversed()).evaluate(facts).effect).toBe(before);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("a decision names exactly the rules that explain shows as matched with its effect", () => {
    const property = fc.property(rules, facts, (rules, facts) => {
      const policy = policyOf(rules);
      const { effect, reasons } = policy.evaluate(facts);
      const matched = policy.explain(facts).filter((result) => result.matched && result.effect === effect);
      const expected = matched.length > 0 ? matched.map(({ rule }) => rule) : ["default"];
      // What is certain is told first: the order is its own matter.
      expect(reasons.map(({ rule }) => rule).sort()).toEqual(expected.sort());
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("evaluating changes neither the facts nor the next decision", () => {
    const property = fc.property(rules, facts, (rules, facts) => {
      const policy = policyOf(rules);
      const before = JSON.stringify(facts);
      const first = policy.evaluate(facts);
      expect(policy.evaluate(facts)).toEqual(first);
      expect(JSON.stringify(facts)).toBe(before);
    });
    fc.assert(property, { numRuns: 200 });
  });
});

describe("of lists of names", () => {
  const matches = (condition: object, imports: string[]) =>
    policyOf([{ effect: "allow", when: { imports: condition } }]).evaluate(
      makeFacts({ manifest: makeManifest({ imports }) }),
    ).effect === "allow";

  test("anyOf and noneOf divide the names between them", () => {
    const property = fc.property(entries, fc.constantFrom(...NAMES), (list, name) => {
      expect(matches({ anyOf: list }, [name])).toBe(!matches({ noneOf: list }, [name]));
      expect(matches({ anyOf: list, noneOf: list }, [name])).toBe(false);
    });
    fc.assert(property);
  });

  test("of several names one is enough", () => {
    const property = fc.property(nameList, names, (condition, list) => {
      expect(matches(condition, list)).toBe(list.some((name) => matches(condition, [name])));
    });
    fc.assert(property);
  });
});
