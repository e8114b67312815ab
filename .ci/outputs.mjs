// Where each source goes in dist/. Runs on the machine's own Node (20 or newer), before anything is installed.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** A time that is written goes through a floating-point number of seconds. */
const SAME_AGE_MS = 2;
const MOVED = {
  "policy/policy.schema.json": "policy.schema.json",
  "worker/guest/url.generated.js": "worker/guest/url.js",
};
/** What is made beside the files that have a source. */
export const FUNCTIONS = "worker/guest/functions.generated.json";

/** Names of the files below a folder, with `/`, sorted; none where there is no such folder. */
export function listFiles(folder) {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true }).map((path) => path.replaceAll("\\", "/"));
  return names.filter((name) => statSync(join(folder, name)).isFile()).sort();
}

export const outputName = (name) => MOVED[name] ?? name.replace(/\.ts$/, ".js");

/** Whether each source has its output, and both are of one age: what was made from an older one, or cut off, is not. */
export function isOfOneAge(src, dist) {
  const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isSame = (name) => Math.abs(timeOf(join(src, name)) - timeOf(join(dist, outputName(name)))) <= SAME_AGE_MS;
  return existsSync(join(dist, FUNCTIONS)) && listFiles(src).every(isSame);
}
