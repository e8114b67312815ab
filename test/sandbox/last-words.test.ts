/** What is told of a worker that did not come up, from what its Node wrote while it died. */

import { expect, it } from "vitest";
import { lastWords } from "../../src/sandbox/ending.ts";

it("is the error itself and what belongs to it, without a stack and Node's version", () => {
  const stderr = `node:internal/modules/esm/resolve:274
    internalFsBinding.legacyMainResolve(pkgPath);
                      ^

Error: Access to this API has been restricted. Use --allow-fs-read to manage permissions.
    at finalizeResolution (node:internal/modules/esm/resolve:274:11)
    at moduleResolve (node:internal/modules/esm/resolve:859:10) {
  code: 'ERR_ACCESS_DENIED',
  permission: 'FileSystemRead',
  resource: 'types.js'
}

Node.js v26.10.0
`;
  expect(lastWords(stderr)).toMatch(
    /\^ Error: Access to this API .*permissions\. code: 'ERR_ACCESS_DENIED', permission: 'FileSystemRead', resource: 'types\.js' \}$/,
  );
});

it("is nothing of nothing, and 600 characters of too much", () => {
  expect(lastWords(" \n\n")).toBe("");
  expect(lastWords("x".repeat(10_000))).toHaveLength(600);
});
