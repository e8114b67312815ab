/**
 * Facts and manifests for tests, harmless unless a test says otherwise.
 * Holds no expectation.
 */

import { blankManifest } from "../../src/manifest.ts";
import type { Facts, Manifest } from "../../src/types.ts";
import { inspectJavaScript } from "../../src/worker/engines/javascript/inspect.ts";

export function makeManifest(given: Partial<Manifest> = {}): Manifest {
  return {
    ...blankManifest("javascript", "1"),
    complete: given.undetermined === undefined || given.undetermined.length === 0,
    ...given,
  };
}

export function makeFacts(given: Partial<Facts> = {}): Facts {
  const language = given.language ?? "javascript";
  return {
    tool: `run_${language}_sandboxed`,
    language,
    source: "1",
    manifest: makeManifest({ language, dialect: language }),
    identicalFailures: 0,
    ...given,
  };
}

/** The facts of a real program. */
export function readFacts(source: string): Facts {
  return makeFacts({ source, manifest: inspectJavaScript(source) });
}
