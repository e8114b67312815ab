/**
 * Which idle worker a caller gets: the one whose caches are warm, and never one that still cleans up where another is ready.
 */

import { expect, it, vi } from "vitest";
import { createFakePool } from "../fixtures/fake-pool.ts";

const THREE = { size: 2, standby: 1 } as const;

async function start(behaviours: readonly string[]) {
  const fake = await createFakePool({ behaviours, ...THREE });
  await vi.waitFor(() => expect(fake.started).toHaveLength(3), { timeout: 20_000 });
  return fake;
}

it("alone, the one used last", async () => {
  await using fake = await start(["honest"]);
  for (let run = 0; run < 5; run++) {
    expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    await vi.waitFor(() => expect(fake.started.every((worker) => worker.isRested)).toBe(true), { timeout: 5000 });
  }
  expect(fake.started.map((worker) => worker.runs).sort()).toEqual([0, 0, 5]);
});

it("alone, another one than that which still cleans up", async () => {
  await using fake = await start(["disposesForEver"]);
  for (let run = 0; run < 3; run++) expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
  expect(fake.started.map((worker) => worker.runs)).toEqual([1, 1, 1]);
});

it("beside others, the one used last, whether it still cleans up or not", async () => {
  await using fake = await start(["honest"]);
  const busy = fake.pool.checkoutNow();
  for (let run = 0; run < 4; run++) expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
  expect(
    fake.started
      .filter((worker) => worker !== busy)
      .map((worker) => worker.runs)
      .sort(),
  ).toEqual([0, 4]);
  if (busy) fake.pool.release(busy);
});

it("beside others, where rest takes long, another one than that which still cleans up", async () => {
  const fakes = { behaviours: ["disposesForEver"], ...THREE, restsLong: true };
  await using fake = await createFakePool(fakes);
  await vi.waitFor(() => expect(fake.started).toHaveLength(3), { timeout: 20_000 });
  const busy = fake.pool.checkoutNow();
  for (let run = 0; run < 2; run++) expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
  expect(fake.started.filter((worker) => worker !== busy).map((worker) => worker.runs)).toEqual([1, 1]);
  if (busy) fake.pool.release(busy);
});
