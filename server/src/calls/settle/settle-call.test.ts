import { MINUTE_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { fc, test } from "@fast-check/vitest";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { authoriseRequest } from "../../../test/draft-call.ts";
import { ledgerAccount } from "../../../test/ledger-account.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { ledger } from "../../ledger/ledger.ts";
import { createBatchedAuthorise } from "../authorise/authorise-batch.ts";
import type { CallRow } from "../record/calls.tables.ts";
import type { Outcome } from "../events/derive-outcome.ts";
import { createSettleCall } from "./settle-call.ts";
import { testContext } from "../../../test/test-context.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const NOW = new Date("2026-11-22T12:00:00Z");
const settler = () => createSettleCall(testContext({ handle: database.handle }));

/** The outcome of a call with this talk time; unanswered for 0. */
function outcomeOf(durationMs: number): Outcome {
  const answered = durationMs > 0;
  return {
    status: answered ? "completed" : "failed",
    startedAtMs: NOW.getTime(),
    answeredAtMs: answered ? NOW.getTime() : null,
    end: {
      ...{ atMs: NOW.getTime() + durationMs, reason: answered ? "hangup" : "no_answer", hungUpBy: null, durationMs },
      silence: null,
    },
    needsProof: false,
    carrierCostMicros: null,
  };
}

async function runningCall(customerId: string): Promise<CallRow> {
  const authorise = createBatchedAuthorise(testContext({ handle: database.handle }));
  const { call } = await authorise(authoriseRequest(customerId, { at: NOW, proposed: { limits: null } }));
  if (call === undefined) throw new Error("The call was refused.");
  return call;
}

/** The call's record, hold and account, without times. */
async function stateOf({ id }: CallRow) {
  const { rows } =
    await sql<any>`select c.status, c.end_reason, c.duration_ms, c.billed_seconds, c.charge_micros, c.next_check_at, h.state, h.posted_micros,
      a.balance_micros, a.held_micros, a.debt_micros, a.bonus_micros,
      (select json_agg(e.amount_micros order by e.amount_micros) from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
        where t.reference_id = c.id and t.kind = 'call') as entries
    from call c join hold h using (id) join account a on a.customer_id = c.customer_id where c.id = ${id}`.execute(
      database.handle.db,
    );
  return rows;
}

/** The end of a call, and what happened to its account before. */
const ending = fc.record({
  bonusMicros: fc.constantFrom(0n, 30_000n, 1_000_000n),
  durationMs: fc.constantFrom(0, 1, 30_000, MINUTE_MS),
  refundMicros: fc.constantFrom(0n, 0n, 49_990_000n, 50_000_000n),
});

test("events of one call that end it at the same moment share its settlement, and a later one finds it", async () => {
  const account = await ledgerAccount(database.handle, 50_000_000n);
  const call = await runningCall(account.id);
  const settle = settler();
  const [first, second] = await Promise.all([30_000, MINUTE_MS].map((durationMs) => settle(call, outcomeOf(durationMs))));
  expect(second).toBe(first);
  const later = await settle(call, outcomeOf(MINUTE_MS));
  expect(later).not.toBe(first);
  expect(later).toMatchObject({ status: "completed", duration_ms: 30_000, charge_micros: first?.charge_micros });
});

describe("calls settled at the same moment", () => {
  test.prop([fc.array(ending, { minLength: 1, maxLength: 5 })], { numRuns: 10 })(
    "have the same charges and records as calls settled alone",
    async (endings) => {
      const run = async ({ bonusMicros, refundMicros }: (typeof endings)[number]) => {
        const account = await ledgerAccount(database.handle, 50_000_000n);
        if (bonusMicros > 0n) await account.credit("bonus", bonusMicros);
        const call = await runningCall(account.id);
        if (refundMicros > 0n) await account.reverse("refund", refundMicros);
        return call;
      };
      const [first, second] = [await Promise.all(endings.map(run)), await Promise.all(endings.map(run))];
      const together = settler();
      const answers = await Promise.all(first.map((call, n) => together(call, outcomeOf(endings[n]?.durationMs ?? 0))));
      const alone = settler();
      for (const [n, call] of second.entries()) await alone(call, outcomeOf(endings[n]?.durationMs ?? 0));
      expect(await Promise.all(first.map(stateOf))).toEqual(await Promise.all(second.map(stateOf)));
      for (const answer of answers) {
        const { rows } = await sql<any>`select * from call where id = ${answer.id}`.execute(database.handle.db);
        expect(rows).toEqual([answer]);
      }
    },
  );

  test("repeatedly, concurrently or later, are charged once and return the same call", async () => {
    const { id } = await ledgerAccount(database.handle, 50_000_000n);
    const call = await runningCall(id);
    const [one, other] = [settler(), settler()];
    const first = await Promise.all([one, one, other].map((settle) => settle(call, outcomeOf(MINUTE_MS))));
    const later = await one(call, outcomeOf(30_000));
    for (const answer of [...first, later]) expect(answer).toMatchObject({ status: "completed", charge_micros: 60_000n });
    const entries = await sql<any>`select from ledger_transaction where reference_id = ${call.id} and kind = 'call'`.execute(
      database.handle.db,
    );
    expect(entries.rows).toHaveLength(1);
  });

  test("of one account are all settled", async () => {
    const { id } = await ledgerAccount(database.handle, 50_000_000n);
    const calls = [await runningCall(id), await runningCall(id)];
    const settle = settler();
    await Promise.all(calls.map((call) => settle(call, outcomeOf(MINUTE_MS))));
    expect(await ledger.balance(database.handle.db, id)).toMatchObject({ heldMicros: 0n, balanceMicros: 49_880_000n });
  });

  test("skip a locked call, so that only that call waits", async () => {
    const [stuck, free] = [
      await runningCall((await ledgerAccount(database.handle, 50_000_000n)).id),
      await runningCall((await ledgerAccount(database.handle, 50_000_000n)).id),
    ];
    const holder = await database.handle.pool.connect();
    await holder.query("begin");
    await holder.query("select from call where id = $1 for update", [stuck.id]);
    const settle = settler();
    const [waiting, done] = [settle(stuck, outcomeOf(MINUTE_MS)), settle(free, outcomeOf(MINUTE_MS))];
    expect(await done).toMatchObject({ id: free.id, status: "completed" });
    await holder.query("rollback");
    holder.release();
    expect(await waiting).toMatchObject({ id: stuck.id, status: "completed" });
  });
});
