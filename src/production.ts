/**
 * Whether this is production. The one place outside the command and the graphs that looks at the environment, and at one
 * name of it: who deploys a library says so by NODE_ENV and by nothing else.
 */

/** True where NODE_ENV is `production`. */
export function isProduction(): boolean {
  return process.env.NODE_ENV === "production";
}
