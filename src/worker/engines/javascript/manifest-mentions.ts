/**
 * What has been found in a program so far.
 * Holds bounded lists only.
 */

import type { Aspect } from "../../../types.ts";
import { NameList } from "./manifest-lists.ts";

export interface Mentions {
  readonly imports: NameList;
  readonly globals: NameList;
  readonly members: NameList;
  readonly privateAccess: NameList;
  readonly dynamicCode: NameList;
  readonly undetermined: Set<Aspect>;
  /** Members named like a maker of code: harmless, unless they are members of the global object. */
  readonly memberMakers: Set<string>;
}

export function createMentions(): Mentions {
  return {
    imports: new NameList(),
    globals: new NameList(),
    members: new NameList(),
    privateAccess: new NameList(),
    dynamicCode: new NameList(),
    undetermined: new Set(),
    memberMakers: new Set(),
  };
}
