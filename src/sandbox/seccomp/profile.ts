/**
 * The table of system calls as a profile that Docker and Podman take: the same allowlist as bubblewrap's filter.
 * Must not know what a worker is.
 */

import { ALLOWED_CALLS, type ArgumentCheck, CHECKED_CALLS } from "./calls.ts";

/** What a runtime itself does between the filter and the worker, all of it harmless: it looks at its open files. */
const RUNTIME_CALLS = ["fstatfs", "close_range"];
const ENOSYS = 38;
const EQUAL = "SCMP_CMP_EQ";
const MASKED = "SCMP_CMP_MASKED_EQ";
const ARCHITECTURES = ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"];

interface Rule {
  names: string[];
  action: string;
  args?: { index: number; value: number; valueTwo: number; op: string }[];
}

function describe(name: string, check: ArgumentCheck): Rule[] {
  const index = check.argument;
  const allow = (value: number, valueTwo: number, op: string): Rule => ({
    names: [name],
    action: "SCMP_ACT_ALLOW",
    args: [{ index, value, valueTwo, op }],
  });
  if ("oneOf" in check) return check.oneOf.map((value) => allow(value, 0, EQUAL));
  // The mask first, then what has to be left of the argument under it.
  if ("has" in check) return [allow((check.has | check.lacks) >>> 0, check.has, MASKED)];
  return [allow(0, 0, EQUAL)];
}

/** JSON, as `--security-opt seccomp=FILE` takes it. */
export function makeProfile(): string {
  const syscalls: Rule[] = [
    { names: [...Object.keys(ALLOWED_CALLS), ...RUNTIME_CALLS], action: "SCMP_ACT_ALLOW" },
    ...Object.entries(CHECKED_CALLS).flatMap(([name, { check }]) => describe(name, check)),
  ];
  const profile = { defaultAction: "SCMP_ACT_ERRNO", defaultErrnoRet: ENOSYS, architectures: ARCHITECTURES, syscalls };
  return `${JSON.stringify(profile, null, 1)}\n`;
}
