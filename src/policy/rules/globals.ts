/**
 * `globals`: global names that the code mentions.
 * Matches what the manifest names; what it could not determine counts for deny and ask.
 */

import { defineNameList } from "../name-list.ts";

export const globals = defineNameList("globals");
