/**
 * What a report says of a containment whose walls are not all seen: that it is not active, and which of them is missing.
 */

import { describe, expect, it } from "vitest";
import { describeLayers, summarize } from "../../src/sandbox/report/layers.ts";
import type { OutsideView } from "../../src/sandbox/report/outside.ts";
import type { Sight } from "../../src/sandbox/report/sight.ts";

const WALLED: OutsideView = {
  namespaces: { mnt: true, net: true, pid: true, user: true, ipc: true, uts: true, cgroup: true },
  interfaces: [],
  seccomp: 2,
  noNewPrivileges: true,
  userId: 65534,
  hasNoCapabilities: true,
  environment: ["TZ", "LC_ALL", "PWD"],
  writableMounts: [],
  limits: null,
  cgroupMemoryBytes: null,
};

function look(outside: Partial<OutsideView>, containment = "bubblewrap", staysRoot: string | null = null) {
  const sight: Sight = {
    containment,
    platform: "linux",
    nodeVersion: "26.0.0",
    diesBy: null,
    staysRoot,
    isVisible: true,
    inside: null,
    environment: [],
    outside: { ...WALLED, ...outside },
  };
  const layers = describeLayers(sight);
  const found = layers.find(({ name }) => name === "containment");
  const user = layers.find(({ name }) => name === "user-namespace")?.detail;
  return { active: found?.active, detail: found?.detail, summary: summarize(layers, containment), user };
}

describe("a containment", () => {
  it("is active where every wall is seen", () => {
    expect(look({})).toMatchObject({ active: true, summary: expect.stringContaining("in bubblewrap") });
  });

  it.each<[string, Partial<OutsideView>]>([
    ["a filter of system calls", { seccomp: 0 }],
    ["a filter of system calls", { seccomp: null }],
    ["no network", { interfaces: ["eth0"] }],
    ["no network", { interfaces: null }],
    ["a root of its own", { writableMounts: ["/"] }],
    ["a root of its own", { writableMounts: null }],
    ["no other process", { namespaces: { ...WALLED.namespaces, pid: false } }],
  ])("is not where %s is not seen", (wall, outside) => {
    const { active, detail, summary } = look(outside);
    expect(active).toBe(false);
    expect(detail).toMatch(new RegExp(`not seen of it: .*${wall}`));
    expect(summary).toContain("as this user on this machine");
  });

  it("says where its user is root outside, and why", () => {
    expect(look({}).user).toBe("user ids of its own");
    expect(look({ userId: 0 }, "bubblewrap", "a file is closed").user).toBe(
      "user ids of its own; outside it is root's, without any capability: a file is closed",
    );
    expect(look({ userId: 0 }).user).toMatch(/root's, without any capability$/);
  });

  it("is none in a plain process, whatever is seen", () => {
    expect(look({}, "process").active).toBe(false);
  });
});
