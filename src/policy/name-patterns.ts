/**
 * Patterns of names: a name, or the beginning of one followed by `*`.
 * No regular expressions, so that matching takes linear time.
 */

function matchesName(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

export function matchesSome(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesName(name, pattern));
}

/** What all of the lists let pass, as far as patterns of theirs can say it: never more. */
export function commonPatterns(lists: readonly (readonly string[])[]): string[] {
  const all = [...new Set(lists.flat())];
  return all.filter((pattern) => lists.every((list) => matchesSome(pattern, list)));
}
