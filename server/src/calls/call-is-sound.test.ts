import type { DatabaseError } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertPastCalls } from "../../test/past-calls.ts";
import { ledgerAccount } from "../../test/ledger-account.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";

/** Tests the constraint function sql/call_is_sound.sql. */
let database: TestDatabase;
let id: string | undefined;
beforeAll(async () => {
  database = await testDatabase();
  const customer = await ledgerAccount(database.handle, 100n);
  [id] = await insertPastCalls(database.handle.db, [{ customerId: customer.id, createdAt: new Date("2026-11-01T12:00:00Z") }]);
});
afterAll(() => database.close());

const running = (status: string) =>
  `status = '${status}', end_reason = null, ended_at = null, next_check_at = now(), charge_micros = 0`;

/** The constraint that refuses the change, or null. The change is rolled back. */
async function refusal(change: string): Promise<string | null | undefined> {
  const client = await database.handle.pool.connect();
  try {
    await client.query("begin");
    await client.query(`update call set ${change} where id = $1`, [id]);
    return null;
  } catch (error) {
    return (error as DatabaseError).constraint;
  } finally {
    await client.query("rollback");
    client.release();
  }
}

describe("a call's row may contain", () => {
  test.each([
    running("initiated"),
    running("ringing"),
    running("in-progress"),
    "status = 'failed', charge_micros = 0",
    "destination = '+123456'",
    "destination = '+123456789012345'",
    "idempotency_key = 'k'",
    `idempotency_key = '${"k".repeat(200)}'`,
    "price_class = 'C'",
    "rate_per_minute_micros = 1",
    "cap_seconds = 1",
    "limit_seconds = 1",
    "provider_seconds = 1",
    "provider_seconds = 14400",
    `trunk = '${"t".repeat(64)}'`,
    "trunk_attempts = '[1, 2, 3, 4, 5, 6, 7, 8]'",
    "decided_by = '[1, null]'",
    "warned_seconds = 60",
    "warned_seconds = 15",
    "duration_ms = 0, billed_seconds = 0",
    "charge_micros = 0",
    "charge_micros = held_micros",
    "end_reason = 'connection_lost', hung_up_by = null, silent_ms = 1000, forgiven_micros = 0",
    "end_reason = 'hangup', hung_up_by = 'callee'",
    ...["credit", "longest_call", "spend_limit", "call_cap", "daily_cap", "family_limit"].map(
      (bound) => `bounded_by = '${bound}'`,
    ),
  ])("%s", async (change) => {
    expect(await refusal(change)).toBeNull();
  });
});

describe("a call's row may not contain", () => {
  test.each([
    "destination = '442079460000'",
    "destination = '+0442079460000'",
    "destination = '+12345'",
    "destination = '+1234567890123456'",
    "country_code = 'gb'",
    "country_code = 'GBR'",
    running("over"),
    "idempotency_key = ''",
    `idempotency_key = '${"k".repeat(201)}'`,
    "price_class = 'D'",
    "rate_per_minute_micros = 0",
    "first_interval_seconds = 0",
    "next_interval_seconds = 0",
    "bounded_by = 'nothing'",
    "cap_seconds = 0",
    "limit_seconds = 0",
    "provider_seconds = 0",
    "provider_seconds = 14401",
    "trunk = ''",
    `trunk = '${"t".repeat(65)}'`,
    "trunk_attempts = '{}'",
    "trunk_attempts = '[1, 2, 3, 4, 5, 6, 7, 8, 9]'",
    "decided_by = '{}'",
    "warned_seconds = 30",
    "ticket_hash = '\\x00'",
    "duration_ms = -1",
    "billed_seconds = -1",
    "held_micros = 0, charge_micros = 0",
    "charge_micros = -1",
    "charge_micros = held_micros + 1",
    // Only answered calls are charged, and only once they are over.
    "status = 'failed', charge_micros = 1",
    "answered_at = null",
    "answered_at = null, charge_micros = 0",
    "ended_at = null",
    "end_reason = null",
    "next_check_at = now()",
    `${running("ringing")}, end_reason = 'hangup'`.replace("end_reason = null, ", ""),
    running("ringing").replace("next_check_at = now()", "next_check_at = null"),
    running("ringing").replace("ended_at = null, ", ""),
    "status = 'initiated', charge_micros = 0",
    "end_reason = 'hangup', hung_up_by = 'carrier'",
    "end_reason = 'no_audio', hung_up_by = 'caller'",
    "silent_ms = -1",
    // Only silence at the end of a lost call is free.
    "end_reason = 'connection_lost', silent_ms = 1000, forgiven_micros = -1",
    "end_reason = 'connection_lost', silent_ms = 0, forgiven_micros = 1",
    "end_reason = 'no_audio', silent_ms = 1000, forgiven_micros = 1",
  ])("%s", async (change) => {
    expect(await refusal(change)).toBe("call_sound");
  });
});
