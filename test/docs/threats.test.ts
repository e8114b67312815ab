/**
 * SECURITY.md's threat table is the same as the data that the tour prints, and everything it names exists.
 * Reads Markdown cell by cell; the prose around the table is nobody's contract.
 */

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { THREATS } from "../../src/cli/threats.ts";

const ROOT = new URL("../../", import.meta.url);

/** The rows of the first table under the heading `title`, without its head. */
function readTable(markdown: string, title: string): string[][] {
  const section = markdown.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? "";
  const lines = section.split("\n");
  const first = lines.findIndex((line) => line.startsWith("|"));
  const length = lines.slice(first).findIndex((line) => !line.startsWith("|"));
  const rows = lines.slice(first, length === -1 ? undefined : first + length);
  return rows.slice(2).map((row) =>
    row
      .slice(1, row.lastIndexOf("|"))
      .split("|")
      .map((cell) => cell.trim()),
  );
}

describe("the threats", () => {
  it("are the same in SECURITY.md and in the tour", () => {
    const table = readTable(readFileSync(new URL("SECURITY.md", ROOT), "utf8"), "Threats");
    expect(table).toEqual(THREATS.map(({ id, threat, defence, file, test }) => [id, threat, defence, file, test]));
  });

  it("have an id each, and four of them are the classic ones", () => {
    expect(new Set(THREATS.map(({ id }) => id)).size).toBe(THREATS.length);
    expect(THREATS.filter(({ classic }) => classic)).toHaveLength(4);
  });

  it.each(THREATS.map(({ id, file, test }) => [id, file, test]))("%s: %s and %s exist", (_id, ...paths) => {
    for (const path of paths) expect(existsSync(new URL(path, ROOT)), path).toBe(true);
  });
});
