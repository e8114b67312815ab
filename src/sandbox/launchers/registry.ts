/**
 * Every launcher, strongest first: a new one is one file and one line here.
 */

import type { Launcher } from "./launcher.ts";
import { processLauncher } from "./process.ts";

export const LAUNCHERS: readonly Launcher[] = [processLauncher];
