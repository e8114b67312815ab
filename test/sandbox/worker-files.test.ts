/**
 * Which code workers start from: in a checkout the JavaScript that the set-up made, and never an old one.
 */

import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { findWorkerFiles } from "../../src/sandbox/worker-files.ts";
import { copyCheckout } from "../fixtures/checkout.ts";

const folder = copyCheckout("src", "dist", "package.json");

async function findEntry(): Promise<string> {
  const url = pathToFileURL(join(folder, "src/sandbox/worker-files.ts")).href;
  const loaded = (await import(url)) as { findWorkerFiles: typeof findWorkerFiles };
  return loaded.findWorkerFiles().entry.slice(folder.length + 1);
}

describe("workers of a checkout", () => {
  it("start from the JavaScript of the sources", async () => {
    expect(await findEntry()).toBe("dist/worker/main.js");
  });

  it.each(["src/worker/pump.ts", "src/worker/guest/python/loop.py", "src/types.ts", "src/protocol/frame.ts"])(
    "start from the sources as soon as %s is of another age",
    async (name) => {
      const path = join(folder, name);
      const { atime, mtime } = statSync(path);
      utimesSync(path, atime, new Date(mtime.getTime() + 5));
      expect(await findEntry()).toBe("src/worker/main.ts");
      utimesSync(path, atime, mtime);
      expect(await findEntry()).toBe("dist/worker/main.js");
    },
  );

  it("start from the sources where one is new", async () => {
    const path = join(folder, "src/worker/engines/other.ts");
    writeFileSync(path, "export {};\n");
    expect(await findEntry()).toBe("src/worker/main.ts");
    rmSync(path);
    expect(await findEntry()).toBe("dist/worker/main.js");
  });
});
