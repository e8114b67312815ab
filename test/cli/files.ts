/**
 * Files that a test hands to the command, in a folder that goes with the last test.
 * Apart from the command's own helpers, which are used without a test runner as well.
 */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";

/** Registers the hooks, and gives the writer; it tells the path. */
export function useFiles(): (name: string, content: string | Buffer) => Promise<string> {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sallyport-cli-"));
  });
  afterAll(() => rm(folder, { recursive: true }));
  return async (name, content) => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };
}
