/**
 * Every launcher, strongest first: a new one is one file and one line here.
 */

import { bubblewrapLauncher } from "./bubblewrap.ts";
import type { Launcher } from "./launcher.ts";
import { processLauncher } from "./process.ts";

export const LAUNCHERS = [bubblewrapLauncher, processLauncher] as const satisfies readonly Launcher[];
