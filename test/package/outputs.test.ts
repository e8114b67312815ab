/**
 * What the set-up takes for made: each source has its output, of one age with it. Anything less is made again.
 */

import { rmSync, statSync, truncateSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { copyCheckout } from "../fixtures/checkout.ts";

const { isOfOneAge, outputName } = (await import(new URL("../../.ci/outputs.mjs", import.meta.url).href)) as {
  isOfOneAge(src: string, dist: string): boolean;
  outputName(name: string): string;
};
const folder = copyCheckout("src", "dist");
const [src, dist] = [join(folder, "src"), join(folder, "dist")];
const isMade = (): boolean => isOfOneAge(src, dist);

describe("what was made of the sources", () => {
  it("counts as it is after a set-up", () => {
    expect(isMade()).toBe(true);
  });

  it.each([
    ["policy/evaluate.ts", "policy/evaluate.js"],
    ["policy/policy.schema.json", "policy.schema.json"],
    ["worker/guest/url.generated.js", "worker/guest/url.js"],
    ["worker/guest/python/loop.py", "worker/guest/python/loop.py"],
  ])("%s is %s", (source, output) => {
    expect(outputName(source)).toBe(output);
  });

  it.each(["policy/evaluate.ts", "worker/guest/url.generated.js", "worker/guest/python/built/snapshot.sha256"])(
    "does not count where %s has changed",
    (name) => {
      const { atime, mtime } = statSync(join(src, name));
      utimesSync(join(src, name), atime, new Date(mtime.getTime() + 10));
      expect(isMade()).toBe(false);
      utimesSync(join(src, name), atime, mtime);
      expect(isMade()).toBe(true);
    },
  );

  it("does not count where a file was cut off or is gone", () => {
    truncateSync(join(dist, "graph/core.js"), 10);
    expect(isMade()).toBe(false);
    const { atime, mtime } = statSync(join(src, "graph/core.ts"));
    utimesSync(join(dist, "graph/core.js"), atime, mtime);
    expect(isMade()).toBe(true);
    rmSync(join(dist, "graph/core.js"));
    expect(isMade()).toBe(false);
  });
});
