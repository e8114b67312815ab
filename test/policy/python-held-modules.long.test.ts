/**
 * The modules that Python's modules hold, as a program finds them in the interpreter, against what the inspector says of
 * a program that reaches for each: it must be as if that module were imported by its own name.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { createPolicy } from "../../src/policy/evaluate.ts";
import { PURE_PYTHON_MODULES } from "../../src/policy/preset-names.ts";
import { useSandbox } from "../fixtures/use-sandbox.ts";
import { makeFacts } from "./facts.ts";

const inUse = useSandbox({ workers: 1 });
const standard = createPolicy("standard");

describe("the modules that modules hold, as a program finds them", () => {
  /** Prints `module attribute real-name…` for every module that is an attribute of one that the standard policy permits. */
  const LIST = `
import importlib, pkgutil, sys, types
def load(name):
    try: module = importlib.import_module(name)
    except ImportError: return
    names.append(name)
    for part in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if part.name != "__main__": load(f"{name}.{part.name}")
names = []
for name in ${JSON.stringify(PURE_PYTHON_MODULES)}: load(name)
for name in names:
    for key, value in vars(sys.modules[name]).items():
        if isinstance(value, types.ModuleType): print(name, key, value.__name__)
`;
  /** Refused although it may be imported: its own name is that of a module that may not. */
  const REFUSED_BY_NAME = "asyncio.subprocess";
  let held: string[][] = [];
  beforeAll(async () => {
    const run = await inUse.sandbox.run({ language: "python", source: LIST, limits: { timeoutMs: 30_000 } });
    expect(run.status).toBe("ok");
    held = run.stdout.map((line) => line.split(" ")).filter((names) => !names.includes(REFUSED_BY_NAME));
  });
  const isPermitted = (name: string) => PURE_PYTHON_MODULES.some((pure) => `${name}.`.startsWith(`${pure}.`));

  test("are many", () => {
    expect(held.length).toBeGreaterThan(300);
    expect(held).toContainEqual(["enum", "bltns", "builtins"]);
  });

  test.each<[string, (module: string, key: string) => string]>([
    ["by an attribute", (module, key) => `import ${module} as m\nm.${key}.x`],
    ["by the whole name", (module, key) => `import ${module}\n${module}.${key}.x`],
    ["taken", (module, key) => `from ${module} import ${key}`],
    ["as values", (module, key) => `import ${module} as m\nn = m\nn.${key}.x`],
  ])("%s are refused where their own names are, and the others are not", async (_name, write) => {
    const wrong: unknown[] = [];
    for (const [module, key, real] of held as [string, string, string][]) {
      const source = write(module, key);
      const manifest = await inUse.sandbox.inspect({ language: "python", source });
      const facts = makeFacts({ language: "python", source, manifest });
      const isRefused = standard.evaluate(facts).effect !== "allow";
      const isNamed = real.split(".")[0] === module.split(".")[0] || manifest.imports.includes(real);
      // Of a value it is not known which module it is: a private name may be that of another one.
      const isRight = isRefused !== isPermitted(real) || (isRefused && key.startsWith("_"));
      if (!isNamed || !isRight) wrong.push([source, real, manifest.imports]);
    }
    expect(wrong).toEqual([]);
  });
});
