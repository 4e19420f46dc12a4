import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../test/test-database.ts";
import { redeemTicket } from "./call.store.ts";

test("a ticket can be redeemed on a connection from before a migration that adds a column", async () => {
  const { handle, close } = await testDatabase({ poolSize: 1 });
  const now = new Date();
  const redeem = () =>
    redeemTicket(handle, {
      ticketHash: Buffer.alloc(32),
      now,
      identity: { leg: "parked", callControlId: "leg", legId: null, sessionId: null, to: "+442079460000", shown: null },
      senders: ["sender"],
      event: { id: "event", occurredAt: now, payload: {} },
      nextCheckAt: now,
    });
  expect(await redeem()).toBeNull();
  await sql`alter table call add column added_later integer`.execute(handle.db);
  expect(await redeem()).toBeNull();
  await close();
});
