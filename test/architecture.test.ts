/**
 * The house rules, enforced on the text of `src` and `graphs`: who may import whom, what may be touched where,
 * and what every module owes its reader. Read by TypeScript's own scanner, so that a comment is never taken for an import.
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MAX_LINES = 300;

interface Module {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
  /** As they are written: relative paths, packages, `node:` names. Types included. */
  readonly imports: readonly string[];
  /** Modules of the product that it imports, by path. */
  readonly own: readonly string[];
}

function readModule(path: string): Module {
  const text = readFileSync(join(ROOT, path), "utf8");
  const imports = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const own = imports
    .filter((name) => name.startsWith("."))
    .map((name) => relative(ROOT, join(ROOT, dirname(path), name)));
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true), imports, own };
}

const MODULES: readonly Module[] = ["src", "graphs"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readModule(join(folder, path))),
);

const inside = (path: string, ...places: string[]): boolean =>
  places.some((place) => path === place || path.startsWith(`${place}/`));

const modulesIn = (...places: string[]): readonly Module[] => MODULES.filter(({ path }) => inside(path, ...places));

/** Every offence as `module: what`, so that a failure says all of it at once. */
function offences(modules: readonly Module[], find: (module: Module) => readonly string[]): string[] {
  return modules.flatMap((module) => find(module).map((what) => `${module.path}: ${what}`));
}

/** Places where the global `name` is used: not a key, not a member, not a name that the module binds itself. */
function usesOf(name: string, member: string | null, { tree }: Module): string[] {
  const found: string[] = [];
  const isBound = tree.statements.some(
    (node) => ts.isImportDeclaration(node) && new RegExp(`\\b${name}\\b`).test(node.importClause?.getText() ?? ""),
  );
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && node.expression.getText() === name) {
      if (member === null || node.name.text === member) found.push(node.getText());
    }
    if (ts.isVariableDeclaration(node) && member !== null && node.initializer?.getText() === name) {
      if (
        ts.isObjectBindingPattern(node.name) &&
        node.name.elements.some((part) => (part.propertyName ?? part.name).getText() === member)
      ) {
        found.push(node.getText());
      }
    }
    ts.forEachChild(node, visit);
  };
  if (!isBound) visit(tree);
  return found;
}

const SHARED = ["src/types.ts", "src/errors.ts", "src/limits.ts", "src/languages.ts", "src/manifest.ts"];

describe("imports", () => {
  it("are found at all", () => {
    expect(MODULES.length).toBeGreaterThan(50);
    expect(MODULES.flatMap(({ own }) => own).length).toBeGreaterThan(100);
  });

  it("of policy/ are the shared modules and libraries", () => {
    expect(
      offences(modulesIn("src/policy"), ({ own }) => own.filter((path) => !inside(path, "src/policy", ...SHARED))),
    ).toEqual([]);
  });

  it("of worker/ are its own, the protocol, the shared modules", () => {
    const allowed = ["src/worker", "src/protocol", ...SHARED];
    expect(offences(modulesIn("src/worker"), ({ own }) => own.filter((path) => !inside(path, ...allowed)))).toEqual([]);
  });

  it("of the protocol are its own, the shared modules", () => {
    expect(
      offences(modulesIn("src/protocol"), ({ own }) => own.filter((path) => !inside(path, "src/protocol", ...SHARED))),
    ).toEqual([]);
  });

  it("of the host hold nothing of worker/", () => {
    const host = MODULES.filter(({ path }) => !inside(path, "src/worker"));
    expect(offences(host, ({ own }) => own.filter((path) => inside(path, "src/worker")))).toEqual([]);
  });

  it.each<[what: string, pattern: RegExp, places: string[]]>([
    ["LangChain", /^@?lang(chain|graph|smith)/, ["src/graph", "src/nodes", "graphs", "src/cli"]],
    ["isolated-vm", /^isolated-vm$/, ["src/worker/engines"]],
    // The prober tries whether a worker may.
    ["child_process", /^(node:)?child_process$/, ["src/sandbox/spawn.ts", "src/worker/prober.ts"]],
    ["vm and the inspector", /^(node:)?(vm|inspector)(\/|$)/, []],
    ["the command's libraries", /^(commander|picocolors|cli-table3|cli-progress)$/, ["src/cli"]],
  ])("of %s are only where they belong", (_, pattern, places) => {
    const elsewhere = MODULES.filter(({ path }) => !inside(path, ...places));
    expect(offences(elsewhere, ({ imports }) => imports.filter((name) => pattern.test(name)))).toEqual([]);
  });

  it("run in no circle", () => {
    const byPath = new Map(MODULES.map((module) => [module.path, module]));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, above: readonly string[]): void => {
      if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(" > "));
      else if (!done.has(path)) {
        for (const next of byPath.get(path)?.own ?? []) visit(next, [...above, path]);
        done.add(path);
      }
    };
    for (const { path } of MODULES) visit(path, []);
    expect(circles).toEqual([]);
  });

  it.each<[folder: string, registry: string | null, shared: string[]]>([
    ["src/nodes", null, []],
    ["src/policy/rules", "index.ts", []],
    ["src/worker/engines", "registry.ts", ["engine.ts", "entry.ts"]],
    ["src/sandbox/launchers", "registry.ts", ["launcher.ts"]],
  ])("of siblings in %s are of what they share, and not of each other", (folder, registry, shared) => {
    const siblings = MODULES.filter(({ path }) => dirname(path) === folder);
    expect(siblings.length).toBeGreaterThan(1);
    const ordinary = siblings.filter(({ path }) => path !== `${folder}/${registry}`);
    const others = (own: readonly string[]): string[] =>
      own.filter((path) => dirname(path) === folder && !shared.includes(relative(folder, path)));
    expect(offences(ordinary, ({ own }) => others(own))).toEqual([]);
  });

  it("name their files, which exist", () => {
    const paths = new Set(MODULES.map(({ path }) => path));
    expect(offences(MODULES, ({ own }) => own.filter((path) => !paths.has(path) && !path.endsWith(".json")))).toEqual(
      [],
    );
  });
});

describe("tests", () => {
  it("never load the engine in their own process", () => {
    const tests = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.startsWith("bench/"))
      .map((path) => readModule(join("test", path)));
    const engine = /^src\/worker\/(main|pump|engines\/(javascript|registry|javascript\/isolate))\.ts$/;
    const found = offences(tests, ({ imports, own }) => [
      ...imports.filter((name) => name === "isolated-vm"),
      ...own.filter((path) => engine.test(path)),
    ]);
    expect(found).toEqual([]);
  });
});

describe("what a module touches", () => {
  it("is process.env only in cli/ and graphs/, in the lockdown, which empties it, and in the prober, which looks at what is left", () => {
    const places = ["src/cli", "graphs", "src/worker/lockdown.ts", "src/worker/prober.ts", "src/production.ts"];
    const elsewhere = MODULES.filter(({ path }) => !inside(path, ...places));
    expect(offences(elsewhere, (module) => usesOf("process", "env", module))).toEqual([]);
  });

  it("is NODE_ENV, and nothing else of the environment, where the production rule asks", () => {
    const [production] = modulesIn("src/production.ts");
    expect(production?.text.match(/process\.env\S*/g)).toEqual(["process.env.NODE_ENV"]);
    const askers = MODULES.filter(({ own }) => own.includes("src/production.ts")).map(({ path }) => path);
    expect(askers).toEqual(["src/sandbox/containment.ts"]);
  });

  it("is the console only in cli/", () => {
    const elsewhere = MODULES.filter(({ path }) => !inside(path, "src/cli"));
    expect(offences(elsewhere, (module) => usesOf("console", null, module))).toEqual([]);
  });

  it("is never anything, by type: no `any`, no suppressed error", () => {
    const found = offences(MODULES, ({ tree, text }) => {
      const anys: string[] = [];
      const visit = (node: ts.Node): void => {
        if (node.kind === ts.SyntaxKind.AnyKeyword) anys.push(node.parent.getText().slice(0, 60));
        ts.forEachChild(node, visit);
      };
      visit(tree);
      return [...anys, ...(text.match(/@ts-(ignore|expect-error|nocheck)|biome-ignore/g) ?? [])];
    });
    expect(found).toEqual([]);
  });
});

describe("a module", () => {
  it("opens with a comment that says what it is", () => {
    expect(offences(MODULES, ({ text }) => (/^(#!.*\n)?\/\*\*\n \* \S/.test(text) ? [] : [text.slice(0, 40)]))).toEqual(
      [],
    );
  });

  it(`has at most ${MAX_LINES} lines`, () => {
    const long = offences(MODULES, ({ text }) => {
      const lines = text.trimEnd().split("\n").length;
      return lines > MAX_LINES ? [`${lines} lines`] : [];
    });
    expect(long).toEqual([]);
  });

  it("is named in small letters and hyphens", () => {
    expect(offences(MODULES, ({ path }) => (/^[a-z0-9/-]+\.ts$/.test(path) ? [] : ["its name"]))).toEqual([]);
  });
});

describe("the public API", () => {
  it.each(["src/index.ts", "src/sandbox/index.ts"])(
    "%s is named re-exports and nothing else, in at most 40 lines",
    (path) => {
      const [index] = modulesIn(path);
      expect(index?.text.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
      for (const statement of index?.tree.statements ?? []) {
        expect(ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined).toBe(true);
      }
    },
  );

  it("of the sandbox alone loads nothing of LangChain, and names nothing that the package's own entry does not", () => {
    const byPath = new Map(MODULES.map((module) => [module.path, module]));
    const loaded = new Set<string>();
    const visit = (path: string): void => {
      if (loaded.has(path)) return;
      loaded.add(path);
      for (const next of byPath.get(path)?.own ?? []) visit(next);
    };
    visit("src/sandbox/index.ts");
    expect(loaded.size).toBeGreaterThan(30);
    expect(
      [...loaded].flatMap((path) => byPath.get(path)?.imports ?? []).filter((name) => /^@?lang/.test(name)),
    ).toEqual([]);
    const namesOf = (path: string) =>
      (byPath.get(path)?.tree.statements ?? []).flatMap((statement) =>
        ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)
          ? statement.exportClause.elements.map(({ name }) => name.text)
          : [],
      );
    expect(namesOf("src/sandbox/index.ts")).toContain("createSandbox");
    expect(namesOf("src/index.ts")).toEqual(expect.arrayContaining(namesOf("src/sandbox/index.ts")));
  });

  it("holds no logic in the types", () => {
    const [types] = modulesIn("src/types.ts");
    for (const statement of types?.tree.statements ?? []) {
      expect(
        ts.isInterfaceDeclaration(statement) ||
          ts.isTypeAliasDeclaration(statement) ||
          ts.isImportDeclaration(statement),
      ).toBe(true);
    }
  });
});
