/**
 * The languages that a policy can name.
 * Data only: which of them can run is the sandbox's matter.
 */

import type { Language } from "../types.ts";

export const LANGUAGES = ["javascript", "python"] as const satisfies readonly Language[];
