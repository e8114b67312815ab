/**
 * A container of Docker or Podman: a worker in an image of its own files, without a network, read-only, with the kernel's
 * limits on memory, processes and processor time. Runs only the image that `sallyport container build` made on this machine.
 */

import { randomBytes } from "node:crypto";
import { callEngine, engineEnvironment, wallArguments } from "../container/engine.ts";
import { BUILD, type BuiltImage, fingerprintOf, readBuiltImage } from "../container/image.ts";
import { createUndertaker, HOST_LABEL, hostIdentity, reapOrphans, type Undertaker } from "../container/undertaker.ts";
import { findByArgument } from "../descendants.ts";
import { OPEN_FILES, stackBytes, workerArguments, workerEnvironment, workerMemoryMb } from "../worker-command.ts";
import type { Command, Launcher, LaunchPlan, OpenLauncher, Unavailable, WorkerNeeds } from "./launcher.ts";

/** Of the worker: it is the first process of its container. */
const PARENT_PID = 0;

async function findProblem(image: BuiltImage, needs: WorkerNeeds): Promise<Unavailable | null> {
  if (image.fingerprint !== fingerprintOf(needs)) {
    return {
      reason: "the image was built from other files than these workers have",
      remedy: `Build it again: ${BUILD}.`,
    };
  }
  const { status, stderr } = await callEngine(image, ["image", "inspect", "--format", "{{.Id}}", image.image]);
  if (status === 0) return null;
  const reason = stderr.trim().split("\n").at(-1)?.slice(0, 200) || "there is no answer";
  return {
    reason: `${image.engine} does not give the image (${reason})`,
    remedy: `Start ${image.engine}, or build again: ${BUILD}.`,
  };
}

export const containerLauncher = {
  name: "container",
  async open(needs: WorkerNeeds): Promise<OpenLauncher | Unavailable> {
    const image = readBuiltImage(needs);
    if (image === null) {
      return {
        reason: "the worker's image has not been built",
        remedy: `Build it: ${BUILD}; needs Docker, or Podman and runc; nothing is pulled.`,
      };
    }
    const problem = await findProblem(image, needs);
    if (problem) return problem;
    const prefix = `sallyport-${process.pid}-${randomBytes(4).toString("hex")}-`;
    const identity = hostIdentity();
    const undertaker = createUndertaker(image, prefix);
    let reaping: Promise<void> | null = null;
    const closing = new AbortController();
    let serial = 0;
    return {
      diesBy: "a process beside the host that kills its containers when the host is gone",
      command(plan) {
        reaping ??= reapOrphans(image, closing.signal);
        serial++;
        return command({ image, plan, identity, name: `${prefix}${serial}`, serial, undertaker });
      },
      async close() {
        closing.abort();
        await reaping;
        await undertaker.close();
      },
    };
  },
} as const satisfies Launcher;

interface Start {
  image: BuiltImage;
  plan: LaunchPlan;
  identity: string;
  name: string;
  serial: number;
  undertaker: Undertaker;
}

function command({ image, plan, identity, name, serial, undertaker }: Start): Command {
  const memoryMb = workerMemoryMb(plan.language);
  const environment = Object.entries(workerEnvironment(plan)).flatMap(([key, value]) => ["--env", `${key}=${value}`]);
  const worker = [plan.node.path, ...workerArguments(plan, PARENT_PID), name];
  let isSeen = false;
  const ending = undertaker.add(serial);
  // An engine's client that is still making the container when the host dies would start it for nobody.
  const dying = plan.setpriv === null ? [] : [plan.setpriv, "--pdeathsig", "KILL", "--"];
  const [path = image.path, ...before] = [...dying, image.path];
  return {
    path,
    args: [
      ...before,
      ...["run", "--interactive", "--rm", "--name", name, "--label", `${HOST_LABEL}=${identity}`],
      ...wallArguments(image, { ...image, memoryMb, openFiles: OPEN_FILES, stackBytes: stackBytes(plan.language) }),
      ...environment,
      image.image,
      ...worker,
    ],
    env: engineEnvironment(),
    lifeline: false,
    undertaker: ending,
    endByName: () => undertaker.end(serial),
    findWorker() {
      const pid = findByArgument(name);
      isSeen = pid !== null;
      if (pid !== null) undertaker.located(serial, pid);
      return pid;
    },
    // Its client may have gone between making it and starting it.
    sweep() {
      if (!isSeen) undertaker.end(serial);
    },
    whenEnded: () => undertaker.drop(serial),
  };
}
