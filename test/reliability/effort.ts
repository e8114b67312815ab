/**
 * What every row is given: how much of the full count, the chance to draw from, and the launchers of this machine.
 * A row says what it saw; whether that is enough is decided here, in one place.
 */

import type { SandboxOptions } from "../../src/options.ts";
import { LAUNCHERS } from "../../src/sandbox/launchers/registry.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import type { Chance } from "../fixtures/chance.ts";

export type Containment = NonNullable<SandboxOptions["containment"]>;

export interface Effort {
  /** 1 is the full count of every row. */
  readonly scale: number;
  readonly chance: Chance;
  /** Launchers that can run here. */
  readonly launchers: readonly Containment[];
  /** Another file of hostile programs, in place of the product's own; null for its own. */
  readonly corpus: string | null;
  /** Minutes of the soak. */
  readonly soakMinutes: number;
}

export interface Row {
  what: string;
  wanted: string;
  seen: string;
  /** Whether all that is wanted was seen. */
  isMet: boolean;
  /** Whether nothing was lost, wrong, leaked or left behind: what no busy machine excuses. */
  isSafe: boolean;
}

/** So many, or as many of them as the scale leaves; at least one. */
export function scaled({ scale }: Pick<Effort, "scale">, full: number): number {
  return Math.max(1, Math.round(full * scale));
}

/** A row of conditions: those of safety, and those that a busy machine may miss. Each is said where it is not met. */
export function judge(
  what: string,
  wanted: string,
  seen: string,
  safety: Readonly<Record<string, boolean>>,
  pace: Readonly<Record<string, boolean>> = {},
): Row {
  const missed = (conditions: Readonly<Record<string, boolean>>) =>
    Object.entries(conditions).flatMap(([name, isMet]) => (isMet ? [] : [name]));
  const broken = missed(safety);
  const late = missed(pace);
  const notes = [...broken.map((name) => `NOT ${name}`), ...late.map((name) => `not ${name}`)];
  return {
    what,
    wanted,
    seen: [seen, ...notes].join("; "),
    isMet: notes.length === 0,
    isSafe: broken.length === 0,
  };
}

/** Launchers by name, each with why it cannot run here; empty where it can. */
export async function tryLaunchers(): Promise<Map<Containment, string>> {
  const tried = new Map<Containment, string>();
  for (const { name } of LAUNCHERS as readonly { name: string }[]) {
    const containment = name as Containment;
    try {
      await using sandbox = await createSandbox({ containment, workers: 1, standby: 0, startTimeoutMs: 60_000 });
      const { containment: got } = await sandbox.report();
      tried.set(containment, got === name ? "" : `${got} in its place`);
    } catch (error) {
      tried.set(containment, error instanceof Error ? error.message : String(error));
    }
  }
  return tried;
}
