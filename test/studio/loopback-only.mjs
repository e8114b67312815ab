// Preloaded into the development server: writes down every connection that is not to the loopback, and refuses it.
// The file that it appends to is named by LOOPBACK_ONLY_LOG.
import { appendFileSync } from "node:fs";
import { Socket } from "node:net";

const connect = Socket.prototype.connect;

Socket.prototype.connect = function (...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  const host = typeof options === "object" ? (options.path ?? options.host ?? "localhost") : args[1];
  const isLocal = /^(localhost|127\.|::1$|\/|\\\\)/.test(String(host ?? "localhost"));
  if (isLocal) return connect.apply(this, args);
  appendFileSync(process.env.LOOPBACK_ONLY_LOG, `${host}\n`);
  process.nextTick(() => this.destroy(new Error(`not on the loopback: ${host}`)));
  return this;
};
