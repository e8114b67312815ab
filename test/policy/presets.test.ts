/**
 * The three presets: what each refuses, what it lets pass, and that everyday programs are not in its way.
 */

import { describe, expect, test } from "vitest";
import { denied } from "../../src/graph/refusals.ts";
import { parsePolicyDocument } from "../../src/policy/document.ts";
import { createPolicy } from "../../src/policy/evaluate.ts";
import { PURE_PYTHON_MODULES } from "../../src/policy/preset-names.ts";
import { PRESET_NAMES, PRESETS } from "../../src/policy/presets.ts";
import type { Facts, Manifest } from "../../src/types.ts";
import { makeFacts, makeManifest, readFacts } from "./facts.ts";
import { EVASIONS } from "./fixtures/evasions.ts";
import { ORDINARY, STRICT_ORDINARY } from "./fixtures/ordinary.ts";

const python = (given: Partial<Manifest>, more: Partial<Facts> = {}) =>
  makeFacts({
    language: "python",
    manifest: makeManifest({ language: "python", dialect: "python", ...given }),
    ...more,
  });

function rulesAgainst(preset: string, facts: Facts): string[] {
  const { effect, reasons } = createPolicy(preset).evaluate(facts);
  return effect === "allow" ? [] : reasons.map(({ rule }) => rule);
}

describe("every preset", () => {
  test.each(PRESET_NAMES)("%s is a document like any other, of both languages", (name) => {
    const document = PRESETS.get(name);
    expect(parsePolicyDocument(document)).toEqual(document);
    expect(document).toMatchObject({ name, languages: ["javascript", "python"] });
    for (const language of ["javascript", "python"] as const) {
      expect(createPolicy(name).evaluate(makeFacts({ language }))).toMatchObject({ effect: "allow" });
    }
  });

  test("messages fit an observation, but for the list of modules", () => {
    const long = PRESET_NAMES.flatMap((name) => PRESETS.get(name)?.rules ?? []).filter(
      ({ message }) => message.length > 200,
    );
    expect(long.map(({ id }) => id)).toEqual(["imports-python"]);
  });
});

describe("strict", () => {
  test("has exactly the 17 built-ins of the textbook in Python", () => {
    const expected = "abs min max sum len range enumerate sorted round float int str bool list dict tuple print";
    expect(createPolicy("strict").permits("python")).toEqual({
      dynamicCode: false,
      globals: expected.split(" "),
      modules: [],
    });
  });

  test("takes all other globals away from JavaScript", () => {
    const { dynamicCode, globals } = createPolicy("strict").permits("javascript");
    expect(dynamicCode).toBe(false);
    expect(globals).toEqual(expect.arrayContaining(["Math", "Array", "console", "input", "result"]));
    for (const name of ["eval", "Function", "Reflect", "Proxy", "globalThis", "setTimeout", "Date"])
      expect(globals).not.toContain(name);
  });

  test.each([
    ["import('fs')", "imports"],
    ["import x from 'fs'", "imports"],
    ["o._x", "private-javascript"],
    ["const _x = 1", "private-javascript"],
    ["o.constructor", "private-javascript"],
    ["o.__proto__", "private-javascript"],
    ["(o, k) => o[k]", "private-javascript"],
    ["eval('1')", "dynamic-code"],
    ["new Date()", "globals-javascript"],
    ["globalThis.Math", "globals-javascript"],
    ["(function () { return this; })()", "globals-javascript"],
    [`/*${"x".repeat(4000)}*/`, "source-chars"],
  ])("refuses %j by %s", (source, id) => {
    expect(rulesAgainst("strict", readFacts(source))).toContain(id);
  });

  test.each(STRICT_ORDINARY)("lets %s pass: %s", (_title, source) => {
    expect(rulesAgainst("strict", readFacts(source))).toEqual([]);
  });

  test.each(EVASIONS)("refuses %s", (_title, source) => {
    expect(rulesAgainst("strict", readFacts(source))).not.toEqual([]);
  });

  test("refuses what it knows nothing of", () => {
    const { manifest: _manifest, ...blind } = makeFacts();
    expect(rulesAgainst("strict", blind)).not.toEqual([]);
  });
});

describe("standard", () => {
  test.each(ORDINARY)("lets %s pass: %s", (_title, source) => {
    expect(rulesAgainst("standard", readFacts(source))).toEqual([]);
  });

  test.each([
    ["import fs from 'fs'", ["imports-javascript"]],
    ["require('lodash')", ["imports-javascript"]],
    ["await import('left-pad')", ["imports-javascript"]],
    ["import('f' + 's')", ["dynamic-code", "imports-javascript"]],
    ["({}).__proto__.x = 1", ["dunders-javascript"]],
    ["({}).__defineGetter__('x', f)", ["dunders-javascript"]],
    ["eval('1')", ["dynamic-code", "imports-javascript"]],
    ["new Function('return 1')()", ["dynamic-code", "imports-javascript"]],
    ["[].constructor.constructor('return process')()", ["dynamic-code", "imports-javascript"]],
  ])("refuses %j by %j", (source, ids) => {
    expect(rulesAgainst("standard", readFacts(source))).toEqual(ids);
  });

  test("removes dynamic code at run time as well, and no global", () => {
    expect(createPolicy("standard").permits("javascript")).toEqual({ dynamicCode: false });
    const { modules, ...rest } = createPolicy("standard").permits("python");
    expect(rest).toEqual({ dynamicCode: false });
    expect(modules).toEqual(expect.arrayContaining(["math", "math.*", "collections.*", "asyncio"]));
    for (const name of ["os", "sys.*", "numpy", "*"]) expect(modules).not.toContain(name);
  });

  test("an import that is refused is told that no module can be loaded", () => {
    const { reasons } = createPolicy("standard").evaluate(readFacts("require('lodash')"));
    expect(reasons[0]?.message).toMatch(/No module can be loaded/);
  });

  test("an import of Python that is refused is told every module that there is, in one observation", () => {
    const { reasons } = createPolicy("standard").evaluate(python({ imports: ["numpy"] }));
    const { message, truncated } = denied(reasons.map((reason) => reason.message).join(" "));
    expect(message).toContain("Third-party packages are not there.");
    expect(message).toContain(PURE_PYTHON_MODULES.join(", "));
    expect(truncated).toBeUndefined();
  });

  test("refuses the identical program once it has failed twice", () => {
    expect(rulesAgainst("standard", makeFacts({ identicalFailures: 1 }))).toEqual([]);
    expect(rulesAgainst("standard", makeFacts({ identicalFailures: 2 }))).toEqual(["repeat"]);
  });

  const pythonCases: [manifest: Partial<Manifest>, ids: string[]][] = [
    [{ imports: ["math", "json", "collections.abc", "asyncio.queues"] }, []],
    [{ imports: ["numpy"] }, ["imports-python"]],
    [{ imports: ["sys"] }, []],
    [{ imports: ["sys", "sys.modules"] }, ["imports-python"]],
    [{ imports: ["sys", "sys.*"] }, ["imports-python"]],
    [{ imports: ["mathematics"] }, ["imports-python"]],
    [{ imports: ["os"], members: ["system"] }, ["imports-python"]],
    [{ undetermined: ["imports"] }, ["imports-python"]],
    [{ globals: ["open"] }, ["files-python"]],
    [{ globals: ["__import__"], members: ["system"] }, ["dunder-globals-python"]],
    [{ globals: ["__name__", "print", "input"] }, []],
    [
      { members: ["__class__", "__name__", "__init__", "_private", "_Account__balance"], privateAccess: ["_private"] },
      [],
    ],
    [{ members: ["__subclasses__"] }, ["dunders-python"]],
    [{ members: ["__globals__"] }, ["dunders-python"]],
    [{ undetermined: ["members"] }, []],
    [{ dynamicCode: ["exec"] }, ["dynamic-code"]],
    [{ dynamicCode: ["eval"] }, ["dynamic-code"]],
    [{ dynamicCode: ["eval(expression)"], undetermined: ["globals", "members"] }, []],
    [{ dynamicCode: ["eval(expression)", "exec"] }, ["dynamic-code"]],
    [{ undetermined: ["dynamicCode"] }, ["dynamic-code"]],
    [{ members: ["gi_frame", "f_back"] }, ["frames-python"]],
    [{ members: ["__cause__", "__traceback__", "tb_lineno"] }, []],
  ];
  test.each(pythonCases)("of Python that mentions %j it has against it %j", (manifest, ids) => {
    expect(rulesAgainst("standard", python(manifest))).toEqual(ids);
  });
});

test("allow-all looks at nothing and takes nothing away", () => {
  const policy = createPolicy("allow-all");
  expect(policy.readsManifest).toBe(false);
  expect(policy.permits("javascript")).toEqual({ dynamicCode: true });
  for (const [, source] of EVASIONS) expect(rulesAgainst("allow-all", readFacts(source))).toEqual([]);
});
