import { sql, type Insertable, type Selectable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";
import type { BillingTables } from "../record/billing.tables.ts";
import { FINAL_STATUSES } from "../record/dispute-stage.ts";

export type ReconciliationRun = Selectable<BillingTables["reconciliation_run"]>;
export type Difference = Selectable<BillingTables["reconciliation_difference"]>;

const MAX_DIFFERENCES_SHOWN = 1_000;

export async function startRun(tx: Tx, run: { id: string; from: Date; to: Date; now: Date }): Promise<void> {
  await tx
    .insertInto("reconciliation_run")
    .values({ id: run.id, from_time: run.from, to_time: run.to, started_at: run.now })
    .execute();
}

export async function finishRun(
  tx: Tx,
  runId: string,
  result: Pick<ReconciliationRun, "charges" | "provider_micros" | "ledger_micros" | "repaired" | "differences"> & { now: Date },
): Promise<void> {
  const { now, ...counts } = result;
  await tx
    .updateTable("reconciliation_run")
    .set({ ...counts, finished_at: now })
    .where("id", "=", runId)
    .execute();
}

/** Forgets which payments a run compares. */
export async function forgetPayments(tx: Tx, runId: string, signal: AbortSignal): Promise<void> {
  await deleteRows(tx, signal, { from: "reconciliation_payment", where: sql`run_id = ${runId}` });
}

export async function insertDifference(
  tx: Tx,
  difference: Insertable<BillingTables["reconciliation_difference"]>,
): Promise<void> {
  await tx.insertInto("reconciliation_difference").values(difference).execute();
}

export function latestRun(tx: Tx): Promise<ReconciliationRun | undefined> {
  return tx
    .selectFrom("reconciliation_run")
    .selectAll()
    .where("finished_at", "is not", null)
    .orderBy("started_at", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** When the latest run ended, or, if none ever did, when the first began; undefined without any. */
export async function latestEnd(tx: Tx): Promise<Date | undefined> {
  const latest = await latestRun(tx);
  if (latest !== undefined) return latest.finished_at ?? latest.started_at;
  const first = await tx.selectFrom("reconciliation_run").select("started_at").orderBy("started_at").limit(1).executeTakeFirst();
  return first?.started_at;
}

/** The differences of the latest run that were first found since then. */
export async function openDifferences(tx: Tx, since: Date): Promise<Difference[]> {
  const latest = await latestRun(tx);
  const differences = latest === undefined ? [] : await differencesOf(tx, latest.id);
  return differences.filter(({ found_at: at }) => at === null || at >= since);
}

export function differencesOf(tx: Tx, runId: string): Promise<Difference[]> {
  return tx
    .selectFrom("reconciliation_difference")
    .selectAll()
    .where("run_id", "=", runId)
    .orderBy("id")
    .limit(MAX_DIFFERENCES_SHOWN)
    .execute();
}

/** @param before start times: earlier runs are deleted */
export async function forgetRuns(
  tx: Tx,
  before: { readonly finished: Date; readonly unfinished: Date },
  signal: AbortSignal,
): Promise<void> {
  const isOld = sql`started_at < ${before.finished} or started_at < ${before.unfinished} and finished_at is null`;
  await deleteRows(tx, signal, { from: "reconciliation_run", where: isOld });
}

/** Adds the payments that were paid, refunded or disputed in the span, by our records. */
export async function addMovedPayments(tx: Tx, runId: string, span: { from: Date; to: Date }): Promise<void> {
  await sql`
    insert into reconciliation_payment (run_id, payment_id)
    select ${runId}::uuid, id from (
      select id from payment where status = 'paid' and settled_at >= ${span.from} and settled_at < ${span.to}
      union select payment_id from refund where created_at >= ${span.from} and created_at < ${span.to}
      union select payment_id from refund where settled_at >= ${span.from} and created_at < ${span.to}
      union select payment_id from dispute where updated_at >= ${span.from} and created_at < ${span.to}
    ) moved
    on conflict do nothing`.execute(tx);
}

/** Adds the payments with a dispute that is not over. */
export async function addOpenDisputes(tx: Tx, runId: string): Promise<void> {
  await sql`
    insert into reconciliation_payment (run_id, payment_id)
    select ${runId}::uuid, payment_id from dispute where status <> all (${FINAL_STATUSES}::text[])
    on conflict do nothing`.execute(tx);
}

/** Adds a payment. @param payment.intentId the provider's, if the payment's row does not name it */
export async function addPayment(
  tx: Tx,
  runId: string,
  { paymentId, intentId }: { readonly paymentId: string; readonly intentId: string | null },
): Promise<void> {
  await tx
    .insertInto("reconciliation_payment")
    .values({ run_id: runId, payment_id: paymentId, payment_intent_id: intentId })
    .onConflict((conflict) =>
      conflict.columns(["run_id", "payment_id"]).doUpdateSet({
        payment_intent_id: sql`coalesce(excluded.payment_intent_id, reconciliation_payment.payment_intent_id)`,
      }),
    )
    .execute();
}

/** The next payments of a run by id. @param page.after null for the first ones */
export function nextPayments(
  tx: Tx,
  runId: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ payment_id: string; payment_intent_id: string | null }[]> {
  return tx
    .selectFrom("reconciliation_payment")
    .select(["payment_id", "payment_intent_id"])
    .where("run_id", "=", runId)
    .$if(after !== null, (query) => query.where("payment_id", ">", after))
    .orderBy("payment_id")
    .limit(limit)
    .execute();
}

/**
 * A payment's net amount in the ledger, by the keys of its postings: credit minus refunds and disputes, without bonus and without
 * refunds paid outside the provider; and the ordered refunds that the provider does not know yet.
 */
export async function ledgerOfPayment(tx: Tx, paymentId: string): Promise<{ netMicros: bigint; orderedMicros: bigint }> {
  const { rows } = await sql<{ net: bigint; ordered: bigint }>`
    select
      coalesce((select sum(e.amount_micros) from ledger_transaction t
        join ledger_entry e on e.transaction_id = t.id and e.customer_id is not null
        where t.idempotency_key in (
          select 'topup:' || ${paymentId}::text
          union all select prefix || r.id from refund r, unnest(array['refund:', 'refund-back:']) prefix
            where r.payment_id = ${paymentId}::uuid and r.origin <> 'outside'
          union all select prefix || d.id || ':' || number
            from dispute d, generate_series(1, d.step) number, unnest(array['dispute:', 'dispute-back:']) prefix
            where d.payment_id = ${paymentId}::uuid)), 0)::bigint as net,
      coalesce((select sum(amount_micros) from refund
        where payment_id = ${paymentId}::uuid and status = 'ordered'), 0)::bigint as ordered`.execute(tx);
  const [row] = rows;
  return { netMicros: row?.net ?? 0n, orderedMicros: row?.ordered ?? 0n };
}
