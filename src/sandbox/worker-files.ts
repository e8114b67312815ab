/**
 * What a worker must be able to read, and nothing more: its own code, and the packages that it loads.
 * The host knows the worker's entry by its path alone, and imports none of it.
 */

import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SandboxError } from "../errors.ts";
import type { Language } from "../types.ts";

const here = import.meta.url;
const extension = here.endsWith(".ts") ? ".ts" : ".js";

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
  const root = realpathSync(fileURLToPath(new URL("..", here)));
  const entry = join(root, "worker", `main${extension}`);
  if (!existsSync(entry)) {
    throw new SandboxError(
      "ENGINE_UNAVAILABLE",
      `The worker's file ${entry} is missing: install sallyport again, or run npm run build.`,
    );
  }
  const shared = ["types", "errors", "limits"].map((name) => join(root, `${name}${extension}`));
  const manifest = [join(dirname(root), "package.json")];
  const own = [join(root, "worker"), join(root, "protocol")];
  const needed = [...SHARED_PACKAGES, ...named.flatMap((language) => LANGUAGE_PACKAGES[language])];
  const packages = needed.flatMap(packageFolders);
  return { entry, folders: [...new Set([...own, ...packages, ...shared, ...manifest])] };
}
