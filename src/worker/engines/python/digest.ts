/**
 * The digest that the snapshot must have. The build of the package writes it here; in a clone it is null, and the
 * digest that the set-up wrote beside the snapshot counts.
 */

export const SNAPSHOT_SHA256: string | null = null;
