/**
 * `container build`: makes the image that workers run in as containers, from this machine's own files, with nothing pulled.
 * Must not touch any other image.
 */

import { EXIT } from "./fault.ts";
import { createStyle } from "./style.ts";

/** Builds the image, tries it, and says by which digest it will be used. */
export async function buildContainerImage(): Promise<number> {
  const [{ buildImage }, { findWorkerNeeds }] = await Promise.all([
    import("../sandbox/container/image.ts"),
    import("../sandbox/worker-needs.ts"),
  ]);
  const style = createStyle(process.stdout);
  const { engine, runtime, image } = await buildImage(findWorkerNeeds(null));
  process.stdout.write(
    [
      `${style.green("✓")} ${image}`,
      `  Built from scratch by ${engine}, nothing pulled, tried with ${runtime ?? "its own runtime"}.`,
      "  From now on --containment auto runs workers in it, until their files change.",
      "",
    ].join("\n"),
  );
  return EXIT.ok;
}
