/**
 * Asks probers what they can do, and takes their word only for what they met: starts them as every worker is started, lets
 * them try, hang, and hog memory, and ends them. Changes nothing for the workers that run programs.
 */

import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProbedMessage, ProbeMessage } from "../../protocol/messages.ts";
import type { ProbeAttempt } from "../../types.ts";
import type { ExchangeEnd, WorkerProcess } from "../worker-process.ts";
import { lookAtWorker } from "./outside.ts";
import { type InsideView, LAUNCHERS_OWN } from "./sight.ts";

const ATTEMPTS_TIMEOUT_MS = 5000;
const LOOP_TIMEOUT_MS = 50;
const HOG_TIMEOUT_MS = 5000;
const GRACE_MS = 50;
const HOG_LIMIT_MB = 32;
const HOG_BYTES = 512 * 1024 * 1024;
const NO_LIMIT_MB = 1024;

type Probe = Omit<ProbeMessage, "type" | "id" | "what">;

async function listen(): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  return new Promise((resolve) => {
    server.once("error", () => resolve(null));
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

/** Something of the host's that is there to be found: a listener, and a file in a folder that everybody may write to. */
async function layBait(): Promise<Bait> {
  const server = await listen();
  const folder = mkdtempSync(join(tmpdir(), "sallyport-bait-"));
  const file = join(folder, "bait.txt");
  writeFileSync(file, "a file of the host\n");
  chmodSync(folder, 0o777);
  const address = server?.address();
  return {
    folder,
    file,
    port: typeof address === "object" && address !== null ? address.port : 0,
    remove() {
      server?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Bait extends Pick<Probe, "folder" | "file" | "port"> {
  remove(): void;
}

function describeHost({ folder, file, port }: Bait, environment: readonly string[], hostPidIsShared: boolean): Probe {
  const names = ["TZ", "LC_ALL", ...environment];
  return { memoryBytes: HOG_BYTES, folder, file, port, hostPid: process.pid, hostPidIsShared, environment: names };
}

async function ask(
  prober: WorkerProcess,
  probe: Probe,
  what: ProbeMessage["what"],
  [timeoutMs, memoryMb]: [number, number],
): Promise<ExchangeEnd> {
  const id = randomUUID();
  return prober.exchange({ message: { type: "probe", id, what, ...probe }, timeoutMs, graceMs: GRACE_MS, memoryMb });
}

const endedBy = (end: ExchangeEnd): string => ("ended" in end ? end.ended.cause : "itself");

async function discard(prober: WorkerProcess): Promise<void> {
  prober.kill("discarded");
  await prober.whenEnded;
}

/** What a worker comes to that is held by the launcher's walls alone. */
export async function probeTakenOver(start: () => Promise<WorkerProcess>): Promise<ProbeAttempt[]> {
  const bait = await layBait();
  const starting = start();
  try {
    const prober = await starting;
    const isShared = process.platform !== "linux" || lookAtWorker(prober.pid).namespaces.pid !== true;
    const answered = await ask(prober, describeHost(bait, LAUNCHERS_OWN, isShared), "attempts", [
      ATTEMPTS_TIMEOUT_MS,
      NO_LIMIT_MB,
    ]);
    return "answer" in answered ? (answered.answer as ProbedMessage).attempts : [];
  } finally {
    bait.remove();
    await Promise.allSettled([starting.then(discard)]);
  }
}

/** @param look is called while the prober that answers is alive */
export async function probeInside(
  start: () => Promise<WorkerProcess>,
  environment: readonly string[],
  look: (prober: WorkerProcess) => { hostPidIsShared: boolean },
): Promise<Omit<InsideView, "guestSees">> {
  const bait = await layBait();
  const starting = start();
  // The second comes up while the first one works; a failure of it is read below.
  const startingHog = start();
  startingHog.catch(() => {});
  try {
    const prober = await starting;
    const probe = describeHost(bait, environment, look(prober).hostPidIsShared);
    const answered = await ask(prober, probe, "attempts", [ATTEMPTS_TIMEOUT_MS, NO_LIMIT_MB]);
    const attempts = "answer" in answered ? (answered.answer as ProbedMessage).attempts : [];
    const looped = endedBy(await ask(prober, probe, "endless", [LOOP_TIMEOUT_MS, NO_LIMIT_MB]));
    await discard(prober);
    const hog = await startingHog;
    const hogged = endedBy(await ask(hog, probe, "memory", [HOG_TIMEOUT_MS, HOG_LIMIT_MB]));
    await discard(hog);
    return { attempts, endsLoop: looped === "deadline", endsHog: hogged === "memory" };
  } finally {
    bait.remove();
    await Promise.allSettled([starting, startingHog].map(async (worker) => discard(await worker)));
  }
}
