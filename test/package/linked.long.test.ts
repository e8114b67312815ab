/**
 * Installed where packages are links: pnpm's store, a node_modules that is itself a link, a package of a workspace. A worker
 * may read its own files only, so each of them has to be granted as it is linked and as it really is.
 */

import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findWorkerFiles } from "../../src/sandbox/worker-files.ts";
import { describeLauncher } from "../fixtures/launchers.ts";
import { buildOnce } from "../fixtures/mutants.ts";

const ROOT = join(import.meta.dirname, "../..");
const HOST = join(ROOT, "test/fixtures/linked-host.mjs");
const PATIENCE_MS = 180_000;

interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const needsOf = (folder: string): string[] => {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies });
};

function link(from: string, to: string): void {
  mkdirSync(dirname(from), { recursive: true });
  if (!existsSync(from)) symlinkSync(relative(dirname(from), to), from);
}

/** What a worker loads; the host's other packages may be anywhere. */
const LOADED = new Set(findWorkerFiles().folders.flatMap((path) => path.split("/node_modules/").at(-1) ?? []));

/** A store as pnpm makes it: every package in a folder of its own, and beside it links to what it needs. */
function makeStore(store: string, product: string): string {
  const places = new Map<string, string>();
  const put = (name: string, source: string): string => {
    const known = places.get(source);
    if (known !== undefined) return known;
    const home = join(store, `${name.replace("/", "+")}@${places.size}`, "node_modules");
    const place = join(home, name);
    places.set(source, place);
    cpSync(source, place, { recursive: true, filter: (path) => path === source || !path.endsWith("/node_modules") });
    for (const need of needsOf(source)) {
      const found = [join(source, "node_modules", need), join(ROOT, "node_modules", need)].find(existsSync);
      if (found !== undefined) link(join(home, need), LOADED.has(need) ? put(need, found) : found);
    }
    return place;
  };
  return put("sallyport", product);
}

let work: string;
let product: string;
let removeBuild: () => void;
beforeAll(() => {
  const build = buildOnce();
  removeBuild = build.remove;
  product = dirname(build.copy([]));
  work = mkdtempSync(join(tmpdir(), "sallyport-linked-"));
}, PATIENCE_MS);
afterAll(() => {
  rmSync(work, { recursive: true, force: true });
  removeBuild();
});

async function runIn(project: string, containment: string): Promise<{ seen: unknown[]; active: string[] }> {
  const host = join(project, "host.mjs");
  cpSync(HOST, host);
  const { stdout } = await promisify(execFile)(process.execPath, [host, containment], { cwd: project });
  return JSON.parse(stdout) as { seen: unknown[]; active: string[] };
}

/** Each makes a project and gives its folder. */
const LAYOUTS: [what: string, make: (folder: string) => void][] = [
  [
    "a store, and a link to it",
    (folder) => link(join(folder, "node_modules/sallyport"), makeStore(join(folder, "node_modules/.pnpm"), product)),
  ],
  [
    "a node_modules that is a link",
    (folder) => {
      const place = makeStore(join(folder, "elsewhere/.pnpm"), product);
      link(join(folder, "elsewhere/sallyport"), place);
      link(join(folder, "node_modules"), join(folder, "elsewhere"));
    },
  ],
  [
    "a package of the same workspace, whose own node_modules are links",
    (folder) => {
      const place = makeStore(join(folder, "store"), product);
      const own = join(folder, "packages/sallyport");
      cpSync(place, own, { recursive: true });
      for (const need of needsOf(own)) {
        const found = join(place, "..", need);
        if (existsSync(found)) link(join(own, "node_modules", need), found);
      }
      link(join(folder, "node_modules/sallyport"), own);
    },
  ],
];

for (const containment of ["process", "bubblewrap"] as const) {
  describeLauncher(containment, () => {
    it.each(LAYOUTS)(
      "runs both languages from %s",
      async (_, make) => {
        const project = mkdtempSync(join(work, "project-"));
        make(project);
        expect(readdirSync(project)).toContain("node_modules");
        const { seen, active } = await runIn(project, containment);
        expect(seen).toEqual([42, 42]);
        expect(active).toContain("permission-model");
      },
      PATIENCE_MS,
    );
  });
}
