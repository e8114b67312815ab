/**
 * The row of the frame decoders: frames that are almost right, in both directions.
 */

import { fuzzFrames } from "../fixtures/fuzz-frames.ts";
import { type Effort, judge, type Row, scaled } from "./effort.ts";

export async function measureFuzz(effort: Effort): Promise<Row[]> {
  const count = scaled(effort, 5_000_000);
  let words = "";
  let seen = { frames: 0, accepted: 0, refused: 0, believed: 0 };
  try {
    seen = fuzzFrames(count, effort.chance);
  } catch (error) {
    words = error instanceof Error ? error.message : String(error);
    process.stderr.write(`decoder fuzz: ${words}\n`);
  }
  return [
    judge(
      "decoder fuzz",
      `${count} frames: no crash, no accepted forgery`,
      `${seen.frames} frames: ${seen.refused} refused, ${seen.accepted} messages that the protocol has`,
      { "without crash or forgery": words === "" },
    ),
  ];
}
