/**
 * The process that ends containers when the host cannot: told of each by number, it kills on demand, and whatever is left
 * when the host is gone. It takes its orders from a pipe, which a thread can write to while the caller's loop is blocked.
 * And at a start: what is left of hosts that died together with their undertaker.
 */

import { readFileSync, readlinkSync } from "node:fs";
import { startOf } from "../process-facts.ts";
import { keepWatcher, spawnWatcher, type Watcher } from "../spawn.ts";
import { callEngine, type Engine, engineEnvironment } from "./engine.ts";

export const HOST_LABEL = "sallyport.host";

/**
 * Words are `add NUMBER PID`, `drop NUMBER`, `kill NUMBER`. A pid of 0 is one that the host does not see. At the end of
 * input it kills first what it sees, which takes no time, and then by name what it does not: each by a command of its own,
 * since one that is not there yet makes the engine refuse all that are named with it.
 *
 * What was made and never started waits for ever for its start, with the monitor that holds it, and the engine cannot kill
 * it, nor does removing it end them: Podman's monitor is looked for by the container's name, among this user's processes
 * and by the program that it is, which no process can feign. One that ran goes by itself; what is left after a moment, its
 * own runtime ends. Only then does the engine forget the container: else the next start finds it.
 */
const SCRIPT = `
engine=$1 prefix=$2 entries=" "
trap '' INT TERM HUP
argument() { tr '\\0' '\\n' 2>/dev/null <"$1/cmdline" | sed -n "/^$2\$/{n;p;q;}"; }
monitors() {
  for file in $(grep -lsF "$1" /proc/[0-9]*/cmdline); do
    monitor=\${file%/cmdline}
    [ -O "$monitor" ] || continue
    case $(readlink "$monitor/exe") in */conmon) ;; *) continue ;; esac
    [ "$(argument "$monitor" -n)" = "$1" ] && echo "$monitor"
  done
}
clear() {
  [ "\${engine##*/}" = podman ] || return 0
  tries=0
  while held=$(monitors "$1"); [ -n "$held" ]; do
    [ $tries -lt 50 ] || return 1
    for monitor in $held; do
      [ $tries -eq 0 ] || "$(argument "$monitor" -r)" delete --force "$(argument "$monitor" -c)" </dev/null >/dev/null 2>&1
    done
    tries=$((tries + 1))
    sleep 0.1
  done
}
end() {
  "$engine" kill --signal KILL "$prefix$1" </dev/null >/dev/null 2>&1
  clear "$prefix$1" && "$engine" rm --force "$prefix$1" </dev/null >/dev/null 2>&1
}
while read -r verb number pid; do
  case $verb in
    add) entries="$entries$number:\${pid:-0} " ;;
    drop) rest=" "; for each in $entries; do [ "\${each%:*}" = "$number" ] || rest="$rest$each "; done; entries=$rest ;;
    kill) end "$number" & ;;
  esac
done
for each in $entries; do pid=\${each#*:}; [ "$pid" -gt 1 ] && kill -9 "$pid" 2>/dev/null; done
for each in $entries; do [ "\${each#*:}" -gt 1 ] || end "\${each%:*}" & done
wait
`;

/** Where process ids mean what they mean to this host: the boot and the PID namespace. */
function readWorld(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${boot}:${readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")}`;
  } catch {
    return "";
  }
}

/** Tells this host from any other, and from a later one with the same process id. */
export function hostIdentity(): string {
  return `${process.pid}:${startOf(process.pid)}:${readWorld()}`;
}

/**
 * Removes the containers of hosts of this user that are no more, one after the other: whoever left many behind is not to find
 * the machine busy with them. Never throws; what a failure or `signal` leaves is there for the next start.
 */
export async function reapOrphans(engine: Pick<Engine, "path">, signal: AbortSignal): Promise<void> {
  const { stdout: ids } = await callEngine(engine, ["ps", "--all", "--quiet", "--filter", `label=${HOST_LABEL}`]);
  const found = ids.split("\n").filter(Boolean);
  if (found.length === 0) return;
  // By inspecting: what `ps` calls a label differs between the engines.
  const format = `{{.Name}} {{index .Config.Labels "${HOST_LABEL}"}}`;
  const { stdout } = await callEngine(engine, ["inspect", "--format", format, ...found]);
  const world = readWorld();
  const orphans = stdout.split("\n").flatMap((line) => {
    const [name = "", identity = ""] = line.trim().split(" ");
    const [pid = "", start = "", ...place] = identity.split(":");
    const isOfHere = world !== "" && place.join(":") === world;
    return isOfHere && startOf(Number(pid)) !== start ? [name.replace(/^\//, "")] : [];
  });
  for (const name of orphans) {
    if (signal.aborted) return;
    await endByName(engine, name);
  }
}

async function endByName(engine: Pick<Engine, "path">, name: string): Promise<void> {
  try {
    const undertaker = startUndertaker(engine, name);
    undertaker.tell("kill");
    await undertaker.close();
  } catch {
    // No process is to be had now.
  }
}

const UNSEEN = 0;

/** Of this host's containers, each known by a number. */
export interface Undertaker {
  /** From now on it is ended when the host is gone. Gives where a thread may order its end. */
  add(serial: number): { fd: number; serial: number };
  located(serial: number, pid: number): void;
  end(serial: number): void;
  drop(serial: number): void;
  close(): Promise<void>;
}

/**
 * Where the process is ended by another's hand, its successor ends all that is there: the supervisor thread knew the way to the
 * one that is gone, and a deadline must not wait for what nobody reads. The pool starts others.
 * @param prefix of the names of this host's containers, before their number
 */
export function createUndertaker(engine: Pick<Engine, "path">, prefix: string): Undertaker {
  /** By number: the process, as far as it is known. */
  const entries = new Map<number, number>();
  let isClosed = false;
  /** False where no process is to be had now. */
  const tell = (words: string): boolean => {
    try {
      kept.current().tell(words);
      return true;
    } catch {
      return false;
    }
  };
  const end = (serial: number): void => {
    const pid = entries.get(serial) ?? UNSEEN;
    // Before: a successor is not told of what it is told to end.
    entries.delete(serial);
    if (!tell(`kill ${serial}`)) entries.set(serial, pid);
  };
  const endAll = (): void => {
    const all = [...entries];
    entries.clear();
    for (const [serial, pid] of all) if (!tell(`kill ${serial}`)) entries.set(serial, pid);
  };
  const kept = keepWatcher(() => {
    const process = startUndertaker(engine, prefix);
    for (const [serial, pid] of entries) process.tell(`add ${serial} ${pid}`);
    void process.whenEnded.then(() => isClosed || endAll());
    return process;
  });
  return {
    add(serial) {
      const { fd } = kept.current();
      entries.set(serial, UNSEEN);
      tell(`add ${serial} ${UNSEEN}`);
      return { fd, serial };
    },
    located(serial, pid) {
      entries.set(serial, pid);
      tell(`drop ${serial}\nadd ${serial} ${pid}`);
    },
    end,
    drop(serial) {
      entries.delete(serial);
      kept.tell(`drop ${serial}`);
    },
    close() {
      isClosed = true;
      return kept.close();
    },
  };
}

/** @param prefix of the names of this host's containers, before their number */
export function startUndertaker({ path }: Pick<Engine, "path">, prefix: string): Watcher {
  return spawnWatcher("/bin/sh", ["-c", SCRIPT, "sallyport-undertaker", path, prefix], engineEnvironment());
}
