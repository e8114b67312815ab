/**
 * A list of distinct names, bounded in number and length.
 * Must say when it is not complete, and never let padding push out a name that matters.
 */

import { ALWAYS_KEPT } from "./manifest-vocabulary.ts";

export const MAX_NAMES = 500;
const MAX_NAME_CHARS = 200;

export class NameList {
  readonly #names = new Set<string>();
  #dropped = false;

  /** True where a name was left out. */
  get isCut(): boolean {
    return this.#dropped;
  }

  add(name: string): void {
    const kept = name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS)}…` : name;
    if (this.#names.size < MAX_NAMES || ALWAYS_KEPT.has(name)) this.#names.add(kept);
    else if (!this.#names.has(kept)) this.#dropped = true;
  }

  values(): string[] {
    return [...this.#names];
  }
}
