/**
 * The nodes directly below a node of a syntax tree, in the order of its fields.
 * Must know nothing of what they mean: a kind of node that is new to us is walked like any other.
 */

import type { Node } from "acorn";

export function childNodes(node: Node): Node[] {
  return Object.values(node).flatMap((value: unknown) => {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return items.filter((item): item is Node => typeof (item as Node | null)?.type === "string");
  });
}
