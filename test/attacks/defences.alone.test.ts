/**
 * Every defence taken away in turn, in a built copy: the attack that it stops then succeeds, and with it does not.
 * A defence without which nothing changes is none, and an attack that never succeeds tests nothing.
 */

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LAUNCHERS } from "../../src/sandbox/launchers/registry.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { findSetpriv } from "../../src/sandbox/spawn.ts";
import { canGroup, NO_GROUPS } from "../fixtures/groups.ts";
import { isRequired } from "../fixtures/launchers.ts";
import { attackCopy, type Build, buildOnce, type Patch } from "../fixtures/mutants.ts";

type Forged = "forgedId" | "forgedKey";

interface Defence {
  readonly name: string;
  /** Of `mutant-probe.mjs`. */
  readonly attack:
    | "environment"
    | "deadline"
    | "blockedCaller"
    | "memory"
    | "globals"
    | "serialisation"
    | "evil"
    | "hog"
    | Forged;
  readonly containment: (typeof LAUNCHERS)[number]["name"];
  /** What the copy has in both cases: for `evil`, what a worker that was taken over does. */
  readonly both?: readonly Patch[];
  /** Whether it is there only where the host may make memory cgroups. */
  readonly needsGroups?: true;
  /** Whether it is something only where the host is root. */
  readonly needsRoot?: true;
  /** What takes the defence away. */
  readonly without: readonly Patch[];
}

/** A worker that has been taken over: `code` is an expression that says `denied`, or what it reached. */
const evil = (code: string): Patch[] => [
  {
    file: "worker/main.js",
    from: 'send({ type: "ready", node: process.versions.node, languages });',
    to: `send({ type: "ready", node: String(${code}).slice(0, 40), languages });`,
  },
];
const reach = (module: string, call: string): string =>
  `await import("node:${module}").then((m) => { try { return ${call} ? "reached" : "denied" } catch { return "denied" } })`;

/** What a taken-over worker has laid out for it: a listener of the host's, and a process of the worker's own user. */
const CONNECT = `await import("node:net").then((m) => new Promise((done) => {
  const socket = m.connect({ host: "127.0.0.1", port: Number(process.env.BAIT_PORT), timeout: 5000 });
  socket.once("connect", () => done("reached"));
  for (const end of ["error", "timeout"]) socket.once(end, () => done("denied"));
}))`;
const SIGNAL = reach("process", "m.kill(Number(process.env.BAIT_PID), 0)");
const READ = reach("fs", 'm.readFileSync("/etc/passwd").length');
const SPAWN = reach("child_process", '!m.spawnSync(process.execPath, ["--version"]).error');
/** Opened alone, which changes nothing. */
const SETTING = reach("fs", 'm.openSync("/proc/sys/kernel/core_pattern", "r+")');
/** 2 GiB, each page written: more than any limit of a worker allows. */
const HOG = "Array.from({ length: 64 }, () => Buffer.alloc(2 ** 25, 1)).length";

const NO_PERMISSIONS: readonly Patch[] = [
  { file: "sandbox/worker-command.js", from: '["--permission", "--allow-addons"]', to: "[]" },
  {
    file: "sandbox/worker-command.js",
    from: '[...readable, "/etc/alpine-release"].map((path) => `--allow-fs-read=${path}`)',
    to: "[]",
  },
  {
    file: "worker/lockdown.js",
    from: "if (permission === undefined)",
    to: "if (permission === undefined) return; if (false)",
  },
];

/** A worker that stepped over Node's permission model, which would else mask the wall behind it. */
const exploited = (code: string): Patch[] => [...evil(code), ...NO_PERMISSIONS];
const NO_GROUP: Patch = {
  file: "sandbox/cgroup.js",
  from: "function findPlace() {",
  to: "function findPlace() { return null;",
};
const NO_WATCHDOG: Patch = {
  file: "sandbox/supervisor-thread.js",
  from: "if (resident > (",
  to: "if (false && resident > (",
};
const NO_FILTER: Patch = { file: "sandbox/launchers/bubblewrap.js", from: '"--seccomp", FILTER_FD, ', to: "" };
/** bubblewrap's namespaces one by one, so that one can be left out: `all` is the same as all of these. */
const without = (namespace: string): Patch => ({
  file: "sandbox/launchers/bubblewrap.js",
  from: '"--unshare-all"',
  to: ["user", "ipc", "pid", "net", "uts", "cgroup"]
    .filter((name) => name !== namespace)
    .map((name) => `"--unshare-${name}"`)
    .join(", "),
});

/** One row a defence. Those of a launcher come under its name, with `evil` as their attack. */
const DEFENCES: readonly Defence[] = [
  {
    name: "the empty environment",
    attack: "environment",
    containment: "process",
    without: [{ file: "sandbox/worker-command.js", from: '{ TZ: "UTC"', to: '{ ...process.env, TZ: "UTC"' }],
  },
  {
    name: "the deadline",
    attack: "deadline",
    containment: "process",
    without: [{ file: "sandbox/supervisor-thread.js", from: 'end(slot, pid, "deadline")', to: "void 0" }],
  },
  {
    name: "the supervisor thread",
    attack: "blockedCaller",
    containment: "process",
    // It is there and looks at nothing: a deadline is kept by nobody.
    without: [
      {
        file: "sandbox/supervisor-thread.js",
        from: "while (Atomics.load(words, CLOSED) === 0)",
        to: "Atomics.wait(words, CLOSED, 0);\nwhile (false)",
      },
    ],
  },
  {
    name: "the watchdog",
    attack: "memory",
    containment: "process",
    // The kernel would else do it where it may.
    both: [NO_GROUP],
    without: [NO_WATCHDOG],
  },
  {
    name: "a worker's own memory cgroup",
    attack: "memory",
    containment: "process",
    both: [NO_WATCHDOG],
    without: [NO_GROUP],
    needsGroups: true,
  },
  {
    name: "the allowlist of globals",
    attack: "globals",
    containment: "process",
    without: [{ file: "worker/guest/globals.js", from: "if (allowed[name] !== true)", to: "if (false)" }],
  },
  {
    name: "the guest's own serialisation",
    attack: "serialisation",
    containment: "process",
    without: [
      { file: "worker/guest/encode.js", from: 'put(\'{"$type":"accessor"}\')', to: "putText(String(found.get()))" },
    ],
  },
  {
    name: "the check of a frame's run",
    attack: "forgedId",
    containment: "process",
    without: [{ file: "sandbox/worker-process.js", from: "|| message.id !== current.message.id", to: "" }],
  },
  {
    name: "the check of a frame's keys",
    attack: "forgedKey",
    containment: "process",
    without: [{ file: "protocol/decode.js", from: "if (!known.has(key))", to: "if (false)" }],
  },
  {
    name: "the permission model",
    attack: "evil",
    containment: "process",
    both: evil(READ),
    without: NO_PERMISSIONS,
  },
  {
    name: "the network namespace",
    attack: "evil",
    containment: "bubblewrap",
    both: [...exploited(CONNECT), NO_FILTER],
    // Its own filter of system calls knows no socket: taken away on both sides, the namespace alone is what holds.
    without: [without("net")],
  },
  {
    name: "the PID namespace",
    attack: "evil",
    containment: "bubblewrap",
    both: exploited(SIGNAL),
    without: [
      without("pid"),
      // The host's own, which only a namespace of processes of its own may mount afresh.
      { file: "sandbox/launchers/bubblewrap.js", from: '"--proc", "/proc"', to: '"--ro-bind", "/proc", "/proc"' },
      // There is then no first process of bubblewrap's to be the worker's parent.
      { file: "worker/lockdown.js", from: "process.ppid !== expectedParent", to: "false" },
    ],
  },
  {
    name: "the mount namespace",
    attack: "evil",
    containment: "bubblewrap",
    both: exploited(READ),
    without: [
      {
        file: "sandbox/launchers/bubblewrap.js",
        from: "const loader = ",
        to: 'return ["--bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]; const loader = ',
      },
    ],
  },
  {
    name: "the read-only /proc, where a host stays root",
    attack: "evil",
    containment: "bubblewrap",
    needsRoot: true,
    both: [
      ...exploited(SETTING),
      { file: "sandbox/launchers/bubblewrap.js", from: "[AS_NOBODY, AS_HOST]", to: "[AS_HOST]" },
    ],
    without: [{ file: "sandbox/launchers/bubblewrap.js", from: '"--remount-ro", "/proc", ', to: "" }],
  },
  {
    name: "the filter of system calls",
    attack: "evil",
    containment: "bubblewrap",
    both: exploited(SPAWN),
    without: [NO_FILTER],
  },
  {
    name: "the memory cgroup of a container",
    attack: "hog",
    containment: "container",
    both: evil(HOG),
    without: [
      {
        file: "sandbox/container/engine.js",
        from: '"--memory", `${memoryMb}m`, "--memory-swap", `${memoryMb}m`,',
        to: "",
      },
    ],
  },
];

let build: Build;
beforeAll(() => {
  build = buildOnce();
}, 120_000);
afterAll(() => build?.remove());

async function isAvailable(containment: Defence["containment"]): Promise<string | null> {
  try {
    await (await createSandbox({ containment, workers: 1, standby: 0, startTimeoutMs: 60_000 })).close();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe.each(DEFENCES)("$name, under $containment", ({ attack, containment, both = [], without, ...needs }) => {
  it("holds, and without it the attack succeeds", { timeout: 200_000 }, async ({ skip }) => {
    const why = containment === "process" ? null : await isAvailable(containment);
    skip(needs.needsRoot === true && process.getuid?.() !== 0, "this host is not root");
    skip(needs.needsGroups === true && !canGroup(), NO_GROUPS);
    skip(why !== null && !isRequired(containment), `${containment} cannot run here: ${why}`);
    const folder = build.copy(both);
    // What is taken away of a container is the host's: both start from the one image.
    const removeImage = containment === "container" ? build.image(folder) : () => {};
    try {
      expect(await attackCopy(folder, attack, containment).firstLine).toMatchObject({ held: true });
      build.patch(folder, without);
      const mutant = attackCopy(folder, attack, containment);
      expect(await mutant.firstLine).toMatchObject({ held: false });
      mutant.kill();
    } finally {
      removeImage();
    }
  });
});

const isAlive = (pid: number): boolean => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !text.slice(text.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
};

describe("dying with the parent", () => {
  it.skipIf(findSetpriv() === null)("holds, and without it a worker lives on", { timeout: 200_000 }, async () => {
    const away: Patch = {
      file: "sandbox/launchers/process.js",
      from: '[plan.setpriv, "--pdeathsig", "KILL", "--", ...worker]',
      to: "worker",
    };
    for (const [patches, survives] of [
      [[], false],
      [[away], true],
    ] as const) {
      const host = attackCopy(build.copy(patches), "orphan", "process");
      const { workers = [] } = await host.firstLine;
      expect(workers.filter(isAlive).length).toBeGreaterThan(0);
      host.kill();
      const until = performance.now() + 3000;
      while (workers.some(isAlive) && performance.now() < until) await new Promise((done) => setTimeout(done, 10));
      const alive = workers.filter(isAlive);
      for (const pid of alive) process.kill(pid, "SIGKILL");
      expect(alive.length > 0).toBe(survives);
    }
  });
});
