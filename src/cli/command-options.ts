/**
 * The options of each command, as the command line hands them on.
 * Types only: what they are called and how they are read is in program.ts and arguments.ts.
 */

import type { Language } from "../types.ts";
import type { LimitSettings } from "./arguments.ts";

/** Options of every command. */
export interface CommonOptions {
  readonly policy: string;
  readonly containment: string;
  /** A file that every receipt is appended to. */
  readonly receipts?: string;
}

export interface VerifyOptions {
  readonly head?: string;
  readonly json?: true;
}

export interface RunOptions extends CommonOptions {
  readonly language?: Language;
  readonly input?: string;
  readonly json?: true;
  readonly limit: LimitSettings;
}

export interface InspectOptions extends CommonOptions {
  readonly language?: Language;
  readonly json?: true;
}

export interface DoctorOptions extends CommonOptions {
  readonly json?: true;
  readonly require?: readonly string[];
  readonly attacks?: true;
}

export interface BatchOptions extends CommonOptions {
  readonly concurrency?: number;
}
