import { sql } from "kysely";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCallWorld, type CallWorld } from "../../../test/worlds/call-world.ts";
import { familyOf } from "../../../test/worlds/family-of.ts";
import { passTime, startRunningCall, type RunningCall } from "../../../test/running-call.ts";
import { endCallAccess } from "./cut-calls.ts";

/** F28's limit from the reversal to the end of the call. */
const WITHIN_SECONDS = 10;

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

/** A dispute of a payment that was credited. */
async function reverse({ customer }: RunningCall, amountMicros: bigint): Promise<void> {
  await world.ctx.ledger.reverse(world.database.handle.db, {
    key: `test:${randomUUID()}`,
    customerId: customer.id,
    referenceId: randomUUID(),
    kind: "refund",
    amountMicros,
    description: "Refund",
  });
}

/** The number of hang-up commands that the provider received. */
function hangUps({ leg }: RunningCall): number {
  return world.provider.commandsOf("hangup").filter(({ path }) => path.includes(leg.far) || path.includes(leg.parked)).length;
}

describe("a running call", () => {
  test("F28: ends within ten seconds of a reversal that leaves a debt, and is charged for its talk time", async () => {
    const running = await startRunningCall(world, { creditMicros: 5_000_000n });
    await passTime(world, 30);
    expect(hangUps(running)).toBe(0);
    await reverse(running, 5_000_000n);
    expect((await world.money(running.customer)).debtMicros).toBeGreaterThan(0n);
    await passTime(world, WITHIN_SECONDS);
    expect(hangUps(running)).toBeGreaterThan(0);
    await running.end(40_000, { source: "unknown" });
    expect(await world.readCall(running.customer, running.id)).toMatchObject({ status: "completed", end_reason: "refused" });
    const money = await world.money(running.customer);
    expect([money.balanceMicros, money.heldMicros]).toEqual([0n, 0n]);
  });

  test.each(["the caller", "the owner of the family, who pays"])("ends after a password reset by %s", async (who) => {
    const [owner, member] = [await world.customer({ tier: "trusted" }), await world.customer({ tier: "known" })];
    await familyOf(world).join(owner, member);
    const running = await startRunningCall(world, { customer: member });
    await passTime(world, 1);
    const { id: customerId } = who === "the caller" ? member : owner;
    const at = world.clock.now();
    expect(await world.ctx.transaction((tx) => endCallAccess(tx, { customerId, firstProof: false, at }))).toContain("live_calls");
    await sql`update customer set password_reset_at = ${at} where id = ${customerId}`.execute(world.database.handle.db);
    await passTime(world, WITHIN_SECONDS);
    expect(hangUps(running)).toBeGreaterThan(0);
    await running.end(20_000, { source: "unknown" });
    expect((await world.money(owner)).heldMicros).toBe(0n);
  });

  test("on a member's own credit continues after a password reset by the family's owner", async () => {
    const [owner, member] = [await world.customer({ tier: "trusted" }), await world.customer({ tier: "known" })];
    await familyOf(world).join(owner, member, {}, { owner_pays: false });
    const running = await startRunningCall(world, { customer: member });
    await passTime(world, 1);
    await sql`update customer set password_reset_at = ${world.clock.now()} where id = ${owner.id}`.execute(
      world.database.handle.db,
    );
    await passTime(world, WITHIN_SECONDS);
    expect(hangUps(running)).toBe(0);
    await running.end(20_000);
  });

  test("continues after a reversal that free credit covers", async () => {
    const running = await startRunningCall(world, { creditMicros: 500_000_000n });
    await reverse(running, 1_000_000n);
    await passTime(world, WITHIN_SECONDS);
    expect(hangUps(running)).toBe(0);
    expect(await world.readCall(running.customer, running.id)).toMatchObject({ status: "in-progress" });
    await running.end(10_000);
  });
});
