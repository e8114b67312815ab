/**
 * Every launcher, strongest first: a new one is one file and one line here.
 * Must not choose: which of them can run here is found out by trying.
 */

import { bubblewrapLauncher } from "./bubblewrap.ts";
import { containerLauncher } from "./container.ts";
import type { Launcher } from "./launcher.ts";
import { processLauncher } from "./process.ts";

export const LAUNCHERS = [
  containerLauncher,
  bubblewrapLauncher,
  processLauncher,
] as const satisfies readonly Launcher[];
