/**
 * The choice of a user to start workers as, by programs that say what bubblewrap or a worker would: who is taken, whom that
 * leaves out, and what is told where nobody can.
 */

import { describe, expect, it } from "vitest";
import { chooseUser, findClosed } from "../../src/sandbox/worker-trial.ts";

/** @param says for each user: the files that are closed to it, or the words that it ends with */
function choose(says: Readonly<Record<string, readonly string[] | string>>, essential: readonly string[] = ["/p"]) {
  const start = (user: string) => {
    const said = says[user];
    const text =
      typeof said === "string"
        ? `console.error(${JSON.stringify(said)}); process.exitCode = 1`
        : `console.log(${JSON.stringify(JSON.stringify(said))})`;
    return { path: process.execPath, args: ["-e", text], env: {}, lifeline: false };
  };
  return chooseUser(Object.keys(says), start, ["/p"], () => essential);
}

describe("the user of workers", () => {
  it("is the first to whom nothing is closed", async () => {
    expect(await choose({ nobody: [], host: [] })).toEqual({ chosen: { user: "nobody", closed: [] }, before: null });
    expect(await choose({ nobody: ["/p/a"], host: [] })).toEqual({
      chosen: { user: "host", closed: [] },
      before: { user: "nobody", closed: ["/p/a"] },
    });
  });

  it("is else the first to whom nothing is closed that every sandbox needs", async () => {
    const found = await choose({ nobody: ["/p/a"], host: ["/q/a"] });
    expect(found).toMatchObject({ chosen: { user: "host" }, before: { user: "nobody" } });
  });

  it("is nobody where what every sandbox needs is closed to all, and the file is named", async () => {
    expect(await choose({ nobody: ["/p/a"], host: ["/p/b"] })).toEqual({
      reason: expect.stringContaining("/p/b"),
      remedy: expect.stringContaining("chmod"),
    });
  });

  it("is nobody where none starts, and the last line that was said tells why", async () => {
    const found = await choose({ host: "first\nbwrap: prctl(PR_SET_SECCOMP): Invalid argument" });
    expect(found).toEqual({
      reason: "bwrap: prctl(PR_SET_SECCOMP): Invalid argument",
      remedy: expect.stringMatching(/kernel with filters/),
    });
    expect(await choose({ host: "bwrap: No permissions" })).toEqual({
      reason: "bwrap: No permissions",
      remedy: expect.not.stringMatching(/kernel with filters/),
    });
  });
});

describe("a closed file", () => {
  it("is one in a folder, or the folder itself, and none whose name only begins like it", () => {
    const closed = ["/pq/a", "/p"];
    expect(findClosed({ closed }, ["/p"])?.reason).toMatch(/^\/p is closed/);
    expect(findClosed({ closed: ["/pq/a"] }, ["/p"])).toBe(null);
  });
});
