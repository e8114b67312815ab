/**
 * What package.json promises, compared with what is there: pins, entry points, the files behind them.
 * That the packed tarball installs and runs is checked by `npm run check:package`, which builds it and needs the registry.
 */

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const readJson = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), "utf8")) as T;

interface Manifest {
  bin: Record<string, string>;
  exports: Record<string, string | Record<string, string>>;
  files: string[];
  engines: { node: string };
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional?: boolean }>;
}
const manifest = readJson<Manifest>("package.json");
const sourceOf = (built: string) =>
  built
    .replace(/^(\.\/)?dist\/policy\.schema/, "src/policy/policy.schema")
    .replace(/^(\.\/)?dist\//, "src/")
    .replace(/(\.d)?\.(js|ts)$/, ".ts");

describe("package.json", () => {
  it("pins every dependency to one version, as the lock file does", () => {
    const lock = readJson<{ packages: Record<string, { version: string }> }>("package-lock.json");
    for (const [name, wanted] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      expect(wanted, name).toMatch(/^\d+\.\d+\.\d+$/);
      expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(wanted);
    }
  });

  it("names entry points that a build makes from sources that exist", () => {
    const targets = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === "string" ? [entry] : Object.values(entry),
    );
    for (const target of [...targets, ...Object.values(manifest.bin)]) {
      const source = sourceOf(target);
      expect(existsSync(join(root, source)), target).toBe(true);
    }
  });

  it("has a command that a shell can start", () => {
    for (const target of Object.values(manifest.bin)) {
      expect(readFileSync(join(root, sourceOf(target)), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    }
  });

  it("sets up before whatever a newcomer types", () => {
    for (const name of ["start", "test", "studio", "bench", "build"]) {
      expect(manifest.scripts[`pre${name}`], name).toBe("node .ci/setup.mjs");
    }
  });

  it("works on Node 22 with the node package as an optional companion", () => {
    expect(manifest.engines.node).toBe(">=22");
    expect(manifest.peerDependenciesMeta.node?.optional).toBe(true);
    expect(manifest.files).toEqual(["dist", "README.md", "SECURITY.md", "LICENSE"]);
  });
});
