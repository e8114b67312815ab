/**
 * Gives away, before anything else is loaded, whatever the worker does not need, and refuses to start where it cannot.
 * Must run first. No option turns it off.
 */

/** Names that a worker may have in its environment without having been given them. */
const KEPT_ENVIRONMENT = new Set(["TZ", "LC_ALL"]);

/** @throws Error where this process is not the locked-down worker that it should be. */
export function lockDown(expectedParent: number, grantedEnvironment: readonly string[]): void {
  if (process.platform !== "win32" && process.ppid !== expectedParent) {
    throw new Error("the host was gone before the worker had started");
  }
  const granted = new Set(grantedEnvironment);
  for (const name of Object.keys(process.env)) {
    if (!KEPT_ENVIRONMENT.has(name) && !granted.has(name)) delete process.env[name];
  }
  const { permission } = process;
  if (permission === undefined) throw new Error("Node's permission model is not on");
  for (const scope of ["fs.write", "child", "worker"]) {
    if (permission.has(scope)) throw new Error(`Node's permission model grants ${scope}`);
  }
  // A file that no worker needs: where it can be read, everything can.
  if (permission.has("fs.read", "/etc/passwd")) throw new Error("Node's permission model grants reading any file");
}
