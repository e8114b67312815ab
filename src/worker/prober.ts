/**
 * The prober: tries, from inside a worker, what no worker may do, and says how far it came. Runs no program of anybody.
 * An attempt that succeeds does no harm: it reads, connects to the host's own listener, or asks whether a process exists.
 */

import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { decodeHostMessage, type ProbeMessage } from "../protocol/messages.ts";
import type { ProbeAttempt } from "../types.ts";
import { receive, send } from "./channel.ts";

const CONNECT_TIMEOUT_MS = 1000;
/** Which program the kernel starts, as root and outside of every namespace, when one crashes. */
const SETTING = "/proc/sys/kernel/core_pattern";
const STEP_BYTES = 4 * 1024 * 1024;

/** The clock of the whole machine: the host's supervisor reads the same. */
const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

type Attempt = (probe: ProbeMessage) => Promise<string> | string;

/** Each returns what it got, or throws what it met. */
const ATTEMPTS: Record<string, Attempt> = {
  "read a file": ({ file }) => `${readFileSync(file).length} bytes of ${file}`,
  "list a folder": ({ folder }) => `${readdirSync(folder).length} names in ${folder}`,
  "write a file": ({ folder }) => {
    const made = mkdtempSync(`${folder}/sallyport-probe-`);
    rmdirSync(made);
    return "a folder was made";
  },
  "read the environment": ({ environment }) => {
    const others = Object.keys(process.env).filter((name) => !environment.includes(name));
    if (others.length === 0) throw Object.assign(new Error("nothing but what was given"), { code: "EMPTY" });
    return others.join(", ");
  },
  connect: ({ port }) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port, timeout: CONNECT_TIMEOUT_MS });
      socket.once("connect", () => resolve(socket.destroy() && "the host's loopback answered"));
      socket.once("timeout", () => reject(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })));
      socket.once("error", reject);
    }),
  "start a process": () => {
    const { error, pid } = spawnSync(process.execPath, ["--version"]);
    if (error) throw error;
    return `process ${pid}`;
  },
  "start a thread": async () => {
    await new Worker("", { eval: true }).terminate();
    return "a thread ran";
  },
  "signal the host": ({ hostPid, hostPidIsShared }) => {
    // In a PID namespace of its own the number may belong to somebody else in there: to this very process, or its parent.
    if (hostPid === process.pid || (hostPid === process.ppid && !hostPidIsShared)) {
      throw Object.assign(new Error("the number is its own"), { code: "ESRCH" });
    }
    process.kill(hostPid, 0);
    return `process ${hostPid} is within reach`;
  },
  "read the host's memory": ({ hostPid, hostPidIsShared }) => {
    if (!hostPidIsShared) throw Object.assign(new Error("no such process"), { code: "ESRCH" });
    closeSync(openSync(`/proc/${hostPid}/mem`, "r"));
    return `the memory of process ${hostPid} is open`;
  },
  // Opened and not written to: that alone changes nothing.
  "change a setting of the kernel": () => {
    closeSync(openSync(SETTING, "r+"));
    return `${SETTING} is open for writing`;
  },
  "see other processes": () => {
    const own = new Set([process.pid, process.ppid].map(String));
    const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && !own.has(name));
    if (others.length === 0) throw Object.assign(new Error("nobody else"), { code: "EMPTY" });
    return `${others.length} other processes`;
  },
};

async function tryAll(probe: ProbeMessage): Promise<ProbeAttempt[]> {
  const attempts: ProbeAttempt[] = [];
  for (const [name, attempt] of Object.entries(ATTEMPTS)) {
    // Of no harm to anybody but the worker, once its own fences are down.
    if (name === "start a thread" && process.permission === undefined) continue;
    try {
      attempts.push({ name, hasSucceeded: true, detail: (await attempt(probe)).slice(0, 200) });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      attempts.push({ name, hasSucceeded: false, detail: String(code ?? message).slice(0, 200) });
    }
  }
  return attempts;
}

/** Takes memory until somebody ends it, or until it has as much as it was told: then nobody watches. */
function fillMemory(bytes: number): void {
  const held: Buffer[] = [];
  for (let taken = 0; taken < bytes; taken += STEP_BYTES) held.push(Buffer.alloc(STEP_BYTES, taken / STEP_BYTES));
}

/** Answers until the host closes the input. */
export async function serveProbes(): Promise<void> {
  for (let message = receive(); message !== null; message = receive()) {
    const probe = decodeHostMessage(message);
    if (probe.type !== "probe") throw new Error("a prober only probes");
    send({ type: "started", id: probe.id, atMs: monotonicMs() });
    const attempts = probe.what === "attempts" ? await tryAll(probe) : [];
    if (probe.what === "endless") for (;;);
    if (probe.what === "memory") fillMemory(probe.memoryBytes);
    send({ type: "probed", id: probe.id, attempts });
  }
}
