/**
 * Every defence taken away in turn, in a built copy: the attack that it stops then succeeds, and with it does not.
 * A defence without which nothing changes is none, and an attack that never succeeds tests nothing.
 */

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LAUNCHERS } from "../../src/sandbox/launchers/registry.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { findSetpriv } from "../../src/sandbox/spawn.ts";
import { attackCopy, type Build, buildOnce, type Patch } from "../fixtures/mutants.ts";

interface Defence {
  readonly name: string;
  /** Of `mutant-probe.mjs`. */
  readonly attack: string;
  readonly containment: (typeof LAUNCHERS)[number]["name"];
  /** What the copy has in both cases: for `evil`, what a worker that was taken over does. */
  readonly both?: readonly Patch[];
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
    // A deadline that the caller's own loop keeps, as a timer would.
    without: [
      {
        file: "sandbox/supervisor-thread.js",
        from: "while (Atomics.load(words, CLOSED) === 0)",
        to: "while (false)",
      },
    ],
  },
  {
    name: "the watchdog",
    attack: "memory",
    containment: "process",
    without: [{ file: "sandbox/supervisor-thread.js", from: "if (resident > (", to: "if (false && resident > (" }],
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
    both: evil(reach("fs", 'm.readFileSync("/etc/passwd").length')),
    without: NO_PERMISSIONS,
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

describe.each(DEFENCES)("$name, under $containment", ({ attack, containment, both = [], without }) => {
  it("holds, and without it the attack succeeds", { timeout: 200_000 }, async ({ skip }) => {
    const why = containment === "process" ? null : await isAvailable(containment);
    skip(why !== null, `${containment} cannot run here: ${why}`);
    const whole = attackCopy(build.copy(both), attack, containment);
    expect(await whole.firstLine).toMatchObject({ held: true });
    const mutant = attackCopy(build.copy([...both, ...without]), attack, containment);
    expect(await mutant.firstLine).toMatchObject({ held: false });
    mutant.kill();
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
