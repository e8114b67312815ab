/**
 * `members`: members that the code reads, writes or takes apart.
 * Matches what the manifest names; what it could not determine counts for deny and ask.
 */

import { defineNameList } from "../name-list.ts";

export const members = defineNameList("members");
