/**
 * What the figures were measured on and with: without it a figure means nothing.
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";

export interface Machine {
  commit: string;
  hostNode: string;
  workerNode: string;
  isolatedVm: string;
  langgraph: string;
  cpu: string;
  cores: number;
  /** Of the last minute, before the benchmark began: above 0 somebody else was at work. */
  load: number;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

function readCommit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return git("rev-parse", "--short", "HEAD") + (git("status", "--porcelain") === "" ? "" : " with changes");
  } catch {
    return "unknown";
  }
}

function readVersion(name: string): string {
  const manifest = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}

export function describeMachine(workerNode: string): Machine {
  return {
    commit: readCommit(),
    hostNode: process.versions.node,
    workerNode,
    isolatedVm: readVersion("isolated-vm"),
    langgraph: readVersion("@langchain/langgraph"),
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}
