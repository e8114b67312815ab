/**
 * The worker's role when a snapshot is built: writes it to stdout, whole or not at all, and knows no run.
 * Its size goes before it, so that whoever reads can tell an end from a loss.
 */

import { writeSync } from "node:fs";
import { packSnapshot } from "./engines/python/snapshot.ts";

const STDOUT = 1;

export async function writeSnapshot(): Promise<void> {
  const packed = await packSnapshot();
  const frame = Buffer.alloc(4 + packed.length);
  frame.writeUInt32BE(packed.length);
  frame.set(packed, 4);
  for (let sent = 0; sent < frame.length; ) sent += writeSync(STDOUT, frame, sent, frame.length - sent);
}
