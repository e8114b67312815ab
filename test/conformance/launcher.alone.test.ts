/**
 * Every launcher that can run on this machine, through the one suite. A new one comes here by itself.
 */

import { describeLauncher, LAUNCHER_NAMES } from "../fixtures/launchers.ts";
import { describeLauncherSuite } from "./launcher.ts";

for (const name of LAUNCHER_NAMES) describeLauncher(name, () => describeLauncherSuite(name));
