/**
 * Chooses the launcher: the one that was asked for, or the strongest that can run here, and says why others cannot.
 * Fails closed: whoever asked for containment gets it, or a fault that says what to do.
 */

import { NO_CONTAINMENT, SandboxError } from "../errors.ts";
import type { ResolvedSandboxOptions } from "../options.ts";
import { isProduction } from "../production.ts";
import type { OpenLauncher, Unavailable, WorkerNeeds } from "./launchers/launcher.ts";
import { LAUNCHERS } from "./launchers/registry.ts";

export interface Chosen {
  name: string;
  launcher: OpenLauncher;
}

export interface Refused extends Unavailable {
  name: string;
}

export interface Choice {
  /** Strongest first. Of more than one, the next is taken where the workers of the one before do not come up. */
  candidates: Chosen[];
  refused: Refused[];
}

/** The launcher without any containment. */
const PLAIN = "process";

const describe = ({ name, reason, remedy }: Refused): string => `${name}: ${reason}. ${remedy}`;

/** @throws SandboxError CONTAINMENT_UNAVAILABLE where what was asked for cannot run here */
export async function chooseLauncher(
  {
    containment,
    allowProcess,
    hardened = false,
  }: Pick<ResolvedSandboxOptions, "containment" | "allowProcess"> & { hardened?: boolean },
  needs: WorkerNeeds,
): Promise<Choice> {
  const asked = LAUNCHERS.filter(({ name }) => containment === "auto" || name === containment);
  const opened = await Promise.all(
    asked.map(async (launcher) => ({ name: launcher.name, end: await launcher.open(needs) })),
  );
  const candidates = opened.flatMap(({ name, end }) => ("command" in end ? [{ name, launcher: end }] : []));
  const refused = opened.flatMap(({ name, end }) => ("command" in end ? [] : [{ name, ...end }]));
  if (hardened || (containment === "auto" && isProduction() && !allowProcess)) {
    const plain = candidates.findIndex(({ name }) => name === PLAIN);
    if (plain >= 0) candidates.splice(plain, 1);
  }
  if (candidates.length === 0) throw hardened ? uncontained(containment, refused) : unavailable(containment, refused);
  return { candidates, refused };
}

/** What is thrown where nothing that was asked for can run. */
export function unavailable(containment: string, refused: readonly Refused[]): SandboxError {
  const why = refused.map(describe).join(" ");
  const what =
    containment === "auto"
      ? "There is no containment here, and in production (NODE_ENV=production) workers are not started without it unless allowProcess is true."
      : `The containment ${containment} cannot run here.`;
  return new SandboxError("CONTAINMENT_UNAVAILABLE", `${what} ${why}`.trim());
}

function uncontained(containment: string, refused: readonly Refused[]): SandboxError {
  const why = refused.map(describe).join(" ");
  const what =
    containment === PLAIN
      ? "hardened: expected containment auto, bubblewrap or container, got process, which is none."
      : "hardened: expected a containment, bubblewrap or container, and there is none here.";
  return new SandboxError("CONTAINMENT_UNAVAILABLE", `${what} ${why}`.trim());
}

let hasWarned = false;

/** Once in a process: that `auto` found no containment. */
export function warnOfProcess(refused: readonly Refused[]): void {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning(
    `No containment: workers run as plain processes, and what a V8 exploit would reach is what this user may do. ${refused.map(describe).join(" ")}`,
    { type: "SallyportWarning", code: NO_CONTAINMENT },
  );
}
