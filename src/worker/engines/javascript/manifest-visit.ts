/**
 * One node that is still to be looked at, and what its surroundings say of it.
 * Shared by the parts of the walk; holds no logic but the recording of names.
 */

import type { Identifier } from "acorn";
import type { Reference, Scope } from "./manifest-scope.ts";
import type { Receiver, Survey } from "./manifest-survey.ts";
import type { Syntax } from "./manifest-syntax.ts";

export interface Visit {
  readonly node: Syntax;
  readonly parent: Syntax | null;
  readonly scope: Scope;
  /** Where a pattern's names are declared, in the role `bind`. */
  readonly into: Scope;
  readonly receiver: Receiver;
  readonly depth: number;
  /** Whether a name or pattern is read, assigned to, or declared. */
  readonly role: "read" | "write" | "bind";
}

export interface Walk {
  readonly survey: Survey;
  push(visit: Visit): void;
  /** Every node there is, to be read. */
  pushAll(nodes: Iterable<Syntax | null | undefined>, from: Visit, parent: Syntax): void;
}

export function refer(
  walk: Walk,
  scope: Scope,
  node: Identifier,
  parent: Syntax | null,
  kind: Reference["kind"],
  value: Reference["value"] = null,
): void {
  const reference: Reference = { name: node.name, node, parent, kind, value, binding: null };
  scope.references.push(reference);
  walk.survey.references.push(reference);
  if (kind !== "hoist") walk.survey.ownNames.add(node.name);
}
