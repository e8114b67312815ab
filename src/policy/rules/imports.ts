/**
 * `imports`: modules that the code imports.
 * Matches what the manifest names; what it could not determine counts for deny and ask.
 */

import { defineNameList } from "../name-list.ts";

export const imports = defineNameList("imports");
