/**
 * The languages there are.
 * Data only, without an import that a worker could not have: which of them can run is the sandbox's matter.
 */

export const LANGUAGES = ["javascript", "python"] as const;
