/**
 * What a worker must be able to read, and nothing more: its own code, and the packages that it loads.
 * The host knows the worker's entry by its path alone, and imports none of it.
 */

import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SandboxError } from "../errors.ts";
import type { Language } from "../types.ts";

const here = import.meta.url;

/** Modules outside of these folders that workers load. */
const SHARED_MODULES = ["types", "errors", "limits", "languages", "manifest"];
const OWN_FOLDERS = ["worker", "protocol"];

/** Packages that every worker imports, and what those import. */
const SHARED_PACKAGES: readonly (readonly string[])[] = [["acorn"], ["isolated-vm"], ["isolated-vm", "node-gyp-build"]];

/** Packages of one language's workers alone. */
const LANGUAGE_PACKAGES: Readonly<Record<Language, readonly (readonly string[])[]>> = {
  javascript: [
    ["@jridgewell/sourcemap-codec"],
    ["sucrase"],
    ["sucrase", "@jridgewell/gen-mapping"],
    ["sucrase", "@jridgewell/gen-mapping", "@jridgewell/sourcemap-codec"],
    ["sucrase", "@jridgewell/gen-mapping", "@jridgewell/trace-mapping"],
    ["sucrase", "@jridgewell/gen-mapping", "@jridgewell/trace-mapping", "@jridgewell/resolve-uri"],
    ["sucrase", "@jridgewell/gen-mapping", "@jridgewell/trace-mapping", "@jridgewell/sourcemap-codec"],
    ["sucrase", "lines-and-columns"],
    ["sucrase", "ts-interface-checker"],
  ],
  // Read as text and bytes, and evaluated inside isolates only.
  python: [["pyodide"]],
};

/** A path, what it links to, what that links to, and so on: Node looks at each of them on its way. */
function followLinks(path: string): string[] {
  const steps = [path];
  for (let at = path; lstatSync(at).isSymbolicLink(); steps.push(at)) at = resolve(dirname(at), readlinkSync(at));
  return [...steps, realpathSync(path)];
}

/** The folder of a package, asked for from the package that needs it: as it is linked, and as it really is. */
function packageFolders(chain: readonly string[]): string[] {
  let from = fileURLToPath(here);
  let folders: string[] = [];
  for (const name of chain) {
    const found = createRequire(from)
      .resolve.paths(name)
      ?.map((base) => join(base, name))
      .find((candidate) => existsSync(join(candidate, "package.json")));
    if (found === undefined) {
      throw new SandboxError("ENGINE_UNAVAILABLE", `The package ${name} is not installed: run npm install again.`);
    }
    folders = followLinks(found);
    from = join(realpathSync(found), "package.json");
  }
  return folders;
}

/** The sources that workers load, below `root`; not what is made by the set-up. */
function listSources(root: string): string[] {
  const inFolders = OWN_FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  return [...inFolders, ...SHARED_MODULES.map((name) => `${name}.ts`)].filter((name) => /\.(ts|py)$/.test(name));
}

/** A time that is written goes through a floating-point number of seconds. */
const SAME_AGE_MS = 2;

function isOfOneAge(path: string, other: string): boolean {
  const [a, b] = [path, other].map((each) => statSync(each, { throwIfNoEntry: false })?.mtimeMs);
  return a !== undefined && b !== undefined && Math.abs(a - b) <= SAME_AGE_MS;
}

interface Code {
  root: string;
  extension: ".js" | ".ts";
}

/**
 * The code beside this file. In a checkout that is TypeScript, from which Node takes twice as long to start: there, the
 * JavaScript that the set-up made of it, as long as each file is of one age with its source.
 */
function findCode(): Code {
  const root = realpathSync(fileURLToPath(new URL("..", here)));
  if (!here.endsWith(".ts")) return { root, extension: ".js" };
  const made = join(dirname(root), "dist");
  const isMade = listSources(root).every((name) =>
    isOfOneAge(join(root, name), join(made, name.replace(/\.ts$/, ".js"))),
  );
  return isMade ? { root: made, extension: ".js" } : { root, extension: ".ts" };
}

export interface WorkerFiles {
  entry: string;
  /** Folders, each read with all that is below it. */
  folders: string[];
}

/**
 * @param languages whose workers are to be started; all where none is named
 * @throws SandboxError ENGINE_UNAVAILABLE where a file is missing.
 */
export function findWorkerFiles(...languages: Language[]): WorkerFiles {
  const named = languages.length > 0 ? languages : (Object.keys(LANGUAGE_PACKAGES) as Language[]);
  const { root, extension } = findCode();
  const entry = join(root, "worker", `main${extension}`);
  if (!existsSync(entry)) {
    throw new SandboxError(
      "ENGINE_UNAVAILABLE",
      `The worker's file ${entry} is missing: install sallyport again, or run npm run build.`,
    );
  }
  const shared = SHARED_MODULES.map((name) => join(root, `${name}${extension}`));
  const manifest = [join(dirname(root), "package.json")];
  const own = OWN_FOLDERS.map((name) => join(root, name));
  const needed = [...SHARED_PACKAGES, ...named.flatMap((language) => LANGUAGE_PACKAGES[language])];
  const packages = needed.flatMap(packageFolders);
  return { entry, folders: [...new Set([...own, ...packages, ...shared, ...manifest])] };
}
