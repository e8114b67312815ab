/**
 * The worker's entry: locks itself down, loads what its role needs, says that it is ready, and serves until input ends.
 * Started by the host with `role parentPid grantedEnvironment language prepared`; never imported by it.
 */

import { lockDown } from "./lockdown.ts";

const [role, parentPid, granted = "", language = "", prepared = "1"] = process.argv.slice(2);
// A prober that plays a worker that was taken over has nothing to give away: it is given no program, and loads no engine.
if (role !== "taken-over") lockDown(Number(parentPid), granted.split(",").filter(Boolean));

if (role === "prober" || role === "taken-over") {
  const { send } = await import("./channel.ts");
  const { serveProbes } = await import("./prober.ts");
  send({ type: "ready", node: process.versions.node, languages: [] });
  await serveProbes();
  process.kill(process.pid, "SIGKILL");
}

if (role === "snapshot") {
  const { writeSnapshot } = await import("./snapshot.ts");
  await writeSnapshot();
  process.kill(process.pid, "SIGKILL");
}

const { ENGINES } = await import("./engines/registry.ts");
const { pump } = await import("./pump.ts");
const { send } = await import("./channel.ts");

const engines = new Map();
const inspectors = new Map();
const entry = ENGINES[language as keyof typeof ENGINES];
if (role === "inspector") inspectors.set(language, await entry.inspector());
else engines.set(language, await entry.create({ prepared: Number(prepared) }));
const languages = [...engines.keys(), ...inspectors.keys()];
send({ type: "ready", node: process.versions.node, languages });
pump(engines, inspectors);
// Not by exit: tearing down isolates on the way out can crash.
process.kill(process.pid, "SIGKILL");
