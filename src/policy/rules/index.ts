/**
 * Every key that `when` may have. A new one is a file beside this and a line here.
 * Holds no logic.
 */

import { dynamicCode } from "./dynamic-code.ts";
import { globals } from "./globals.ts";
import { imports } from "./imports.ts";
import { language } from "./language.ts";
import { members } from "./members.ts";
import { nesting } from "./nesting.ts";
import { privateAccess } from "./private-access.ts";
import { repeat } from "./repeat.ts";
import { sourceChars } from "./source-chars.ts";
import { threadMs } from "./thread-ms.ts";
import { threadRuns } from "./thread-runs.ts";

export const CONDITIONS = {
  language,
  imports,
  globals,
  members,
  privateAccess,
  dynamicCode,
  sourceChars,
  nesting,
  repeat,
  threadRuns,
  threadMs,
} as const;

export type ConditionKey = keyof typeof CONDITIONS;
