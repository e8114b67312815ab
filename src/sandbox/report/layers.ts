/**
 * From what was seen to the list of layers, each with how it is known and what would bring it. Pure: looks at nothing itself.
 * Never flatters: what was not seen is not active, and a defence that a V8 exploit steps over is called that.
 */

import type { Layer } from "../../types.ts";
import {
  allFailed,
  CONTAIN,
  DENIED,
  type Draft,
  describeAttempts,
  findAttempt,
  fromOutside,
  LAUNCHERS_OWN,
  LINUX,
  type Sight,
} from "./sight.ts";
import { cgroup, containment, filesystem, namespace, network, pidNamespace, rlimits, rootOutside } from "./walls.ts";

function isolate({ inside }: Sight): Draft {
  if (inside === null) return { active: true, probed: "stated", detail: "a fresh isolated-vm isolate for every run" };
  const seen = inside.guestSees;
  return {
    active: seen !== null && seen.length === 0,
    probed: "inside",
    detail:
      seen === null
        ? "a program that looks for the host's objects did not run"
        : seen.length === 0
          ? "a fresh isolated-vm isolate for every run; a program finds no process, require, fetch or WebAssembly in it"
          : `a program finds ${seen.join(", ")} in it`,
  };
}

function environment(sight: Sight): Draft {
  const names = sight.outside?.environment ?? null;
  // bubblewrap itself says where it is.
  const allowed = new Set(["TZ", "LC_ALL", ...LAUNCHERS_OWN, ...sight.environment]);
  const strange = names?.filter((name) => !allowed.has(name)) ?? [];
  const failed = allFailed(sight, "read the environment");
  return {
    active: strange.length === 0 && (names !== null || failed !== null) && failed !== false,
    probed: failed === null ? "outside" : names === null ? "inside" : "inside and outside",
    detail:
      strange.length > 0
        ? `holds ${strange.join(", ")}`
        : `nothing of the host's; ${describeAttempts(sight, "read the environment")}`,
  };
}

const MODEL_ATTEMPTS = ["read a file", "write a file", "start a process", "start a thread"];

function permissionModel(sight: Sight): Draft {
  if (sight.inside === null) {
    return {
      active: true,
      probed: "stated",
      detail: "a worker does not start where Node's permission model is not on",
    };
  }
  const denied = MODEL_ATTEMPTS.every((name) => findAttempt(sight, name)?.detail === DENIED);
  return {
    active: denied,
    probed: "inside",
    detail: denied
      ? "Node refuses files, processes and threads; a second fence: a V8 exploit steps over it"
      : describeAttempts(sight, ...MODEL_ATTEMPTS),
  };
}

function deadline({ inside }: Sight): Draft {
  const how = "SIGKILL from a supervisor thread";
  if (inside === null) return { active: true, probed: "stated", detail: how };
  return {
    active: inside.endsLoop,
    probed: "inside",
    detail: inside.endsLoop ? `a loop without an end was ended: ${how}` : "a loop without an end was not ended in time",
  };
}

function watchdog({ inside, isVisible, platform }: Sight): Draft {
  const how = "resident memory, read every few milliseconds";
  const canWatch = platform === "linux" && isVisible;
  if (!canWatch) {
    return {
      active: false,
      probed: "outside",
      detail: platform === "linux" ? "the worker cannot be seen from here" : "needs /proc",
      remedy: platform === "linux" ? "Run the host where it sees its containers' processes." : LINUX,
    };
  }
  if (inside === null) return { active: true, probed: "outside", detail: how };
  return {
    active: inside.endsHog,
    probed: "inside",
    detail: inside.endsHog ? `a worker that took memory was ended: ${how}` : "a worker that took memory was not ended",
  };
}

function diesWithParent({ diesBy }: Sight): Draft {
  if (diesBy !== null) return { active: true, probed: "stated", detail: `by ${diesBy}` };
  return {
    active: false,
    probed: "stated",
    detail: "an orphan ends at end of input, and not before the built-in that it is in",
    remedy: "Linux or macOS.",
  };
}

/** Every layer, innermost first. */
export function describeLayers(sight: Sight): Layer[] {
  const { outside } = sight;
  const drafts: [string, Draft][] = [
    ["isolate", isolate(sight)],
    ["process", fromOutside(true, "a worker process of its own", "", "")],
    ["environment", environment(sight)],
    ["permission-model", permissionModel(sight)],
    ["deadline", deadline(sight)],
    ["watchdog", watchdog(sight)],
    ["dies-with-parent", diesWithParent(sight)],
    ["rlimits", rlimits(sight)],
    ["cgroup", cgroup(sight)],
    ["filesystem", filesystem(sight)],
    ["network", network(sight)],
    ["pid-namespace", pidNamespace(sight)],
    ["mount-namespace", namespace(sight, "mnt", "a root of its own")],
    ["user-namespace", namespace(sight, "user", `user ids of its own${rootOutside(sight)}`)],
    [
      "no-new-privileges",
      fromOutside(outside?.noNewPrivileges, "no program makes it more than it is", "not set", CONTAIN),
    ],
    ["capabilities", fromOutside(outside?.hasNoCapabilities, "none", "it has some", CONTAIN)],
    [
      "seccomp",
      fromOutside(
        outside?.seccomp === null || outside === null ? null : outside.seccomp === 2,
        "a filter of system calls",
        "no filter: every system call of the kernel is within reach",
        CONTAIN,
      ),
    ],
    ["containment", containment(sight)],
  ];
  return drafts.map(([name, draft]) => ({ name, ...draft }));
}

/** What a V8 exploit would meet, in a sentence. */
export function summarize(layers: readonly Layer[], containment: string): string {
  const isActive = (name: string) => layers.some((layer) => layer.name === name && layer.active);
  if (isActive("containment")) {
    return `A V8 exploit would find itself in ${containment === "container" ? "a container" : "bubblewrap"}: no network, no file but the worker's own, no process but itself.`;
  }
  return "A V8 exploit would find itself as this user on this machine: every file, process and network connection that this user may have.";
}
