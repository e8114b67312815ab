/**
 * Which Node the workers run on: the operator's, else the `node` package, else the host's own where it is new enough.
 * Finds and checks; starts no worker.
 */

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { SandboxError } from "../errors.ts";

const MIN_MAJOR = 24;

export interface WorkerNode {
  path: string;
  origin: "option" | "node package" | "host";
}

/** @throws SandboxError ENGINE_UNAVAILABLE where there is none. */
export function findWorkerNode(option: string | null): WorkerNode {
  if (option !== null) {
    if (!existsSync(option)) {
      throw new SandboxError(
        "ENGINE_UNAVAILABLE",
        `workerNode: expected the path of Node ${MIN_MAJOR} or newer, and there is no file ${option}.`,
      );
    }
    return { path: option, origin: "option" };
  }
  const packaged = findPackagedNode();
  if (packaged) return { path: packaged, origin: "node package" };
  const hostMajor = Number(process.versions.node.split(".")[0]);
  if (hostMajor >= MIN_MAJOR) return { path: process.execPath, origin: "host" };
  throw new SandboxError(
    "ENGINE_UNAVAILABLE",
    `Workers need Node ${MIN_MAJOR} or newer, and this host runs ${process.versions.node}. Install the package \`node\` (npm install node@26 && npm rebuild node) or set workerNode.`,
  );
}

function findPackagedNode(): string | null {
  try {
    const manifest = createRequire(import.meta.url).resolve("node/package.json");
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
    const path = join(dirname(manifest), "bin", process.platform === "win32" ? "node.exe" : "node");
    return Number(version.split(".")[0]) >= MIN_MAJOR && existsSync(path) ? path : null;
  } catch {
    return null;
  }
}
