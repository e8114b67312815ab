/**
 * The worker's image: made here from the worker's own needs, from scratch, with nothing pulled, and used by its digest.
 * What was built, and for which files, is remembered in the user's state folder: without that there is no container.
 */

import { createHash } from "node:crypto";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { SandboxError } from "../../errors.ts";
import type { WorkerNeeds } from "../launchers/launcher.ts";
import { findSharedLibraries } from "../libraries.ts";
import { makeProfile } from "../seccomp/profile.ts";
import { OPEN_FILES } from "../worker-command.ts";
import { callEngine, type Engine, findEngines, wallArguments } from "./engine.ts";

/** What makes it, in the words of a remedy. */
export const BUILD = "`sallyport container build` (in a clone: `npm start -- container build`)";

const CONTAINERFILE = fileURLToPath(new URL("./Containerfile", import.meta.url));
const BUILD_TIMEOUT_MS = 300_000;
const TRIAL_TIMEOUT_MS = 60_000;
/** Runtimes in the order of preference: gVisor's, the engine's own, and the one that runs where others do not. */
const RUNTIMES = ["runsc", null, "runc"] as const;

const builtSchema = z.object({
  engine: z.enum(["docker", "podman"]),
  path: z.string(),
  runtime: z.string().nullable(),
  seccomp: z.string().nullable(),
  image: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  fingerprint: z.string(),
});

export type BuiltImage = z.infer<typeof builtSchema>;

function listFiles(path: string): string[] {
  if (!lstatSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
}

/** Tells these files from any others, without reading them. */
export function fingerprintOf({ files, node }: WorkerNeeds): string {
  const sum = createHash("sha256");
  for (const path of [realpathSync(node.path), ...files.folders.flatMap(listFiles)].sort()) {
    const stat = lstatSync(path);
    if (!stat.isDirectory()) sum.update(`${path}\0${stat.size}\0${Math.trunc(stat.mtimeMs)}\n`);
  }
  return sum.digest("hex");
}

const stateFolder = (): string => join(userInfo().homedir, ".local", "state", "sallyport");

/** Where it is remembered that an image was built for the worker at this place. */
function recordPath({ files }: WorkerNeeds): string {
  const place = createHash("sha256").update(files.entry).digest("hex").slice(0, 16);
  return join(stateFolder(), `image-${place}.json`);
}

/** The image that was built last for the worker at this place; null where there was none. */
export function readBuiltImage(needs: WorkerNeeds): BuiltImage | null {
  try {
    return builtSchema.parse(JSON.parse(readFileSync(recordPath(needs), "utf8")));
  } catch {
    return null;
  }
}

function copyInto(root: string, path: string): void {
  const target = join(root, path);
  mkdirSync(dirname(target), { recursive: true });
  if (lstatSync(path).isSymbolicLink() && realpathSync(dirname(path)) === dirname(path)) {
    symlinkSync(realpathSync(path), target);
  } else cpSync(realpathSync(path), target, { recursive: true, preserveTimestamps: true });
}

/** The build's context: the Containerfile, and below root/ every file of the worker at its own path. */
async function makeContext(needs: WorkerNeeds): Promise<string> {
  const context = mkdtempSync(join(tmpdir(), "sallyport-image-"));
  const root = join(context, "root");
  mkdirSync(root);
  cpSync(CONTAINERFILE, join(context, "Containerfile"));
  for (const path of await findSharedLibraries(needs.node.path))
    cpSync(realpathSync(path), join(root, path), { recursive: true });
  cpSync(realpathSync(needs.node.path), join(root, needs.node.path));
  for (const path of needs.files.folders) copyInto(root, path);
  return context;
}

function fault(message: string): never {
  throw new SandboxError("CONTAINMENT_UNAVAILABLE", message);
}

type Trial = Pick<BuiltImage, "runtime" | "seccomp">;

/** The strongest walls inside which Node starts: our own profile of system calls goes before the engine's. */
async function findWalls(engine: Engine, image: string, node: string, profile: string): Promise<Trial> {
  const problems: string[] = [];
  for (const seccomp of [profile, null]) {
    for (const runtime of RUNTIMES) {
      const walls = wallArguments(engine, { runtime, seccomp, memoryMb: 512, openFiles: OPEN_FILES, stackBytes: null });
      const args = ["run", "--rm", ...walls, image, node, "--version"];
      const { status, stdout, stderr } = await callEngine(engine, args, TRIAL_TIMEOUT_MS);
      if (status === 0 && stdout.startsWith("v")) return { runtime, seccomp };
      problems.push(`${runtime ?? "its own runtime"}: ${lastLine(stderr)}`);
    }
  }
  return fault(`${engine.name} built the image and cannot run it (${problems.join("; ")}).`);
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1)?.slice(0, 200) ?? "";

async function buildWith(engine: Engine, context: string): Promise<{ image: string } | { problem: string }> {
  const record = join(context, "image-id");
  const never = engine.name === "podman" ? ["--pull=never"] : [];
  const args = [
    "build",
    ...never,
    "--network",
    "none",
    "-q",
    "--iidfile",
    record,
    "-f",
    join(context, "Containerfile"),
  ];
  const labels = ["--label", "sallyport=worker"];
  const { status, stderr } = await callEngine(engine, [...args, ...labels, context], BUILD_TIMEOUT_MS);
  if (status !== 0) return { problem: `${engine.name}: ${lastLine(stderr)}` };
  return { image: readFileSync(record, "utf8").trim() };
}

/**
 * Builds the worker's image with the first engine that can, tries it, and remembers it. Nothing is pulled.
 * @throws SandboxError CONTAINMENT_UNAVAILABLE where there is no engine, or none can build and run it
 */
export async function buildImage(needs: WorkerNeeds): Promise<BuiltImage> {
  if (process.platform !== "linux")
    fault("The image is made of this machine's own Node and libraries: that needs Linux.");
  const engines = findEngines();
  if (engines.length === 0) fault("There is neither Docker nor Podman: install one (apt-get install podman runc).");
  const context = await makeContext(needs);
  try {
    const problems: string[] = [];
    for (const engine of engines) {
      const end = await buildWith(engine, context);
      if ("problem" in end) {
        problems.push(end.problem);
        continue;
      }
      const profile = join(stateFolder(), "seccomp.json");
      mkdirSync(stateFolder(), { recursive: true });
      writeFileSync(profile, makeProfile());
      const walls = await findWalls(engine, end.image, needs.node.path, profile);
      const { name, path } = engine;
      const built = { engine: name, path, ...walls, image: end.image, fingerprint: fingerprintOf(needs) };
      writeFileSync(recordPath(needs), `${JSON.stringify(built, null, 2)}\n`);
      return built;
    }
    return fault(`No image was built: ${problems.join("; ")}.`);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}
