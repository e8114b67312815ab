/**
 * Tenants never share a worker, however many there are, and however many there are the workers stay as few.
 * Beside them the mode of a process per run.
 */

import { describe, expect, it, vi } from "vitest";
import { createFakePool, type FakePool } from "../fixtures/fake-pool.ts";
import { useSandbox } from "../fixtures/use-sandbox.ts";

/** Who was served by each worker, in the order of their start. */
async function serve(fake: FakePool, tenants: readonly string[], callers = 1): Promise<Map<number, Set<string>>> {
  const served = new Map<number, Set<string>>();
  const queue = [...tenants];
  const call = async (): Promise<void> => {
    for (let tenant = queue.shift(); tenant !== undefined; tenant = queue.shift()) {
      const now = fake.pool.checkoutNow(tenant);
      const checkout = now ? { worker: now } : await fake.pool.checkout(undefined, tenant);
      if ("none" in checkout) throw new Error(checkout.none);
      const { worker } = checkout;
      served.set(worker.pid, (served.get(worker.pid) ?? new Set()).add(tenant));
      await new Promise((done) => setImmediate(done));
      fake.pool.release(worker);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return served;
}

const alive = (fake: FakePool): number => fake.started.filter(({ hasEnded }) => !hasEnded).length;

describe("tenants", () => {
  it("never share a worker, one after the other or at once", async () => {
    await using fake = await createFakePool({ size: 2, standby: 1 });
    const tenants = Array.from({ length: 16 }, (_, index) => ["a", "b", "c", ""][(index * 7) % 4] ?? "");
    for (const callers of [1, 4]) {
      const served = await serve(fake, tenants, callers);
      for (const names of served.values()) expect([...names]).toHaveLength(1);
      expect(new Set([...served.values()].flatMap((names) => [...names])).size).toBe(4);
    }
  });

  it("keep their worker as long as nobody needs its place", async () => {
    await using fake = await createFakePool({ size: 2, standby: 1 });
    const served = await serve(fake, ["a", "b", "a", "b", "a", "b", "a", "a", "b"]);
    expect(served.size).toBe(2);
  });

  it("have no more workers together than a pool has", async () => {
    await using fake = await createFakePool({ size: 2, standby: 1 });
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, alive(fake));
    }, 1);
    await serve(
      fake,
      Array.from({ length: 12 }, (_, index) => `tenant ${index}`),
      3,
    );
    clearInterval(watch);
    expect(most).toBeLessThanOrEqual(3);
  });

  it("that are new find the standby ready", async () => {
    await using fake = await createFakePool({ size: 1, standby: 1 });
    await serve(fake, ["a", "b"]);
    for (const tenant of ["c", "d", "e"]) {
      // As soon as the place of the last but one is filled.
      const before = fake.started.length;
      await vi.waitFor(() => expect(fake.pool.checkoutNow(tenant)).not.toBe(null), { timeout: 10_000 });
      fake.pool.release(fake.started.findLast(({ isUsable }) => isUsable) as never);
      await vi.waitFor(() => expect(fake.started.length).toBeGreaterThan(before), { timeout: 10_000 });
    }
  });

  it("do not hold each other up: one waits for its worker while another's is used", async () => {
    await using fake = await createFakePool({ behaviours: ["honest", "honest", "startsSlowly"], size: 2, standby: 0 });
    const [first, second] = [fake.pool.checkoutNow("a"), fake.pool.checkoutNow("a")];
    await vi.waitFor(() => expect(fake.started).toHaveLength(2), { timeout: 10_000 });
    const third = second ?? fake.pool.checkoutNow("a");
    if (first) fake.pool.release(first);
    if (third) fake.pool.release(third);
    const other = fake.pool.checkout(undefined, "b");
    const own = await fake.pool.checkout(undefined, "a");
    expect(own).toMatchObject({ worker: { isUsable: true } });
    expect(await Promise.race([other, "still waiting"])).toBe("still waiting");
    expect(await other).toMatchObject({ worker: { isUsable: true } });
  });

  it.each([
    ["", "an empty text"],
    ["x".repeat(201), "a long one"],
    [7, "a number"],
    [null, "null"],
  ])("named %j are refused (%s)", async (tenant, _) => {
    await using fake = await createFakePool();
    await expect(fake.run({ tenant: tenant as never })).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
  });
});

describe("a sandbox with tenants", () => {
  const inUse = useSandbox({ workers: 1, standby: 1 });

  it("answers each in turn with its own", async () => {
    for (const tenant of ["a", "b", "a", "c", "b", "a"]) {
      const observation = await inUse.run(`"${tenant}"`, { tenant, limits: { timeoutMs: 10_000 } });
      expect(observation).toMatchObject({ ok: true, result: tenant });
    }
  });
});

describe("runsPerWorker 1", () => {
  it("gives every run a process of its own, with another ready beside it", async () => {
    await using fake = await createFakePool({ size: 1, standby: 1, runsPerWorker: 1 });
    for (let run = 0; run < 6; run++) expect(await fake.run()).toMatchObject({ ok: true, result: 1 });
    expect(Math.max(...fake.started.map(({ runs }) => runs))).toBe(1);
    expect(fake.started.length).toBeGreaterThanOrEqual(6);
  });
});
