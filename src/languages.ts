/**
 * The languages there are.
 * Data only, without an import that a worker could not have: which of them can run is the sandbox's matter.
 */

/** What a request has to name, in the words of its fault. */
export const A_LANGUAGE = '"javascript" or "python" (TypeScript is taken as javascript)';

export const LANGUAGES = ["javascript", "python"] as const;
