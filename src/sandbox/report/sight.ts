/**
 * What was seen of a worker, from inside and outside, and the few questions that every layer asks of it.
 * Looks at nothing itself.
 */

import type { Layer, ProbeAttempt } from "../../types.ts";
import { BUILD } from "../container/image.ts";
import type { Namespace, OutsideView } from "./outside.ts";

export interface InsideView {
  attempts: readonly ProbeAttempt[];
  /** What the guest found of the host's objects in its isolate; null where it could not be asked. */
  guestSees: readonly string[] | null;
  /** Whether a loop without an end was ended in time, and a worker that took memory. */
  endsLoop: boolean;
  endsHog: boolean;
}

/** Names that bubblewrap and containers set by themselves in a worker's environment: where it is, and nothing of the host. */
export const LAUNCHERS_OWN: readonly string[] = ["PWD", "HOSTNAME", "HOME", "PATH", "TERM", "container"];

export interface Sight {
  containment: string;
  platform: NodeJS.Platform;
  nodeVersion: string;
  /** What ties a worker's death to the host's; null where nothing does. */
  diesBy: string | null;
  /** Why a worker in namespaces has root's user id outside, as its launcher says; null where it does not. */
  staysRoot: string | null;
  isVisible: boolean;
  outside: OutsideView | null;
  /** Null where it was not tried: then only what is seen from outside, or holds by construction, is told. */
  inside: InsideView | null;
  environment: readonly string[];
}

/** A layer before it has its name. */
export type Draft = Omit<Layer, "name">;

export const CONTAIN = `Install bubblewrap, or build the container image: ${BUILD}; doctor says which can run here.`;
export const LINUX = "Linux only.";
export const DENIED = "ERR_ACCESS_DENIED";
/** From this version on Node's permission model covers the network. */
export const NODE_THAT_BLOCKS_NETWORK = 26;

export function findAttempt({ inside }: Sight, name: string): ProbeAttempt | null {
  return inside?.attempts.find((attempt) => attempt.name === name) ?? null;
}

/** Whether everything of a list was tried and nothing of it succeeded; null where it was not tried. */
export function allFailed(sight: Sight, ...names: string[]): boolean | null {
  if (sight.inside === null) return null;
  return names.every((name) => findAttempt(sight, name)?.hasSucceeded === false);
}

export function describeAttempts(sight: Sight, ...names: string[]): string {
  if (sight.inside === null) return "not tried";
  return names
    .map((name) => {
      const attempt = findAttempt(sight, name);
      if (attempt === null) return `${name}: not tried`;
      return attempt.hasSucceeded ? `${name}: succeeded, ${attempt.detail}` : `${name}: ${attempt.detail}`;
    })
    .join("; ");
}

export const has = (sight: Sight, name: Namespace): boolean => sight.outside?.namespaces[name] === true;

export function fromOutside(value: boolean | null | undefined, yes: string, no: string, remedy: string): Draft {
  return {
    active: value === true,
    probed: "outside",
    detail: value === true ? yes : value === false ? no : "cannot be seen from here",
    ...(value === true ? {} : { remedy }),
  };
}
