import { DAY_MS } from "@farline/domain/durations.ts";
import { settledBefore, TIER_RULES, type TierFacts } from "@farline/domain/calls/risk-tier.ts";
import { sql } from "kysely";
import type { DatabaseHandle, Tx } from "../platform/database/database.ts";
import { executePrepared, readFunction } from "../platform/database/prepared.ts";
import type { Breaker } from "./risk.tables.ts";

/** More than any checkout limit allows in a day. */
const MAX_PAYMENTS = 500;
const MIN_STAYED_MICROS = TIER_RULES.minKeptMicros;

/** What payments tell about a customer's tier; the rest stands in the customer's own row. */
export type PaymentFacts = Omit<TierFacts, "createdAt" | "emailVerified">;

interface FactsRow {
  paid: bigint;
  authenticated: bigint;
  settled_micros: bigint;
  disputed: boolean;
}

/** What a customer's payments tell about their tier. */
export async function readPaymentFacts(tx: Tx, customerId: string, now: Date): Promise<PaymentFacts> {
  const rows = await readFunction<FactsRow>(tx, "tier_facts", {
    customerId,
    settledBefore: settledBefore(now),
    leastMicros: MIN_STAYED_MICROS,
  });
  return toFacts(rows[0]);
}

/** A destination as breakers identify it. */
export interface BreakerSubject {
  /** Of the rate, digits. */
  readonly prefix: string;
  /** ISO code of the number, as rated. */
  readonly countryCode: string;
}

/** What decides on a call: the facts of its customer, and the breakers that stop its destination or everything. One statement. */
export async function readCallRisk(
  { db }: DatabaseHandle,
  wanted: BreakerSubject & { customerId: string; now: Date },
): Promise<{ facts: PaymentFacts; breakers: Breaker[] }> {
  const { customerId, now, prefix, countryCode } = wanted;
  const query = sql<FactsRow & { breaker: (Omit<Breaker, "until"> & { until: string }) | null }>`
    select t.*, to_jsonb(b) as breaker
    from tier_facts(${customerId}, ${settledBefore(now)}, ${MIN_STAYED_MICROS}) t
    left join breaker b on b.until > ${now} and b.lifted_at is null and (b.kind = 'carrier_spend'
      or (b.kind = 'prefix' and b.subject = ${prefix}) or (b.kind = 'country' and b.subject = ${countryCode}))`;
  const rows = await executePrepared(db, "call_risk", query);
  const breakers = rows.flatMap(({ breaker }) => (breaker === null ? [] : [{ ...breaker, until: new Date(breaker.until) }]));
  return { facts: toFacts(rows[0]), breakers };
}

/** Credit bought in the last 24 hours that was not taken back since, payment by payment, in micro-dollars. */
export async function readFreshPayments(
  tx: Tx,
  customerId: string,
  now: Date,
): Promise<{ chargeMicros: bigint; bonusMicros: bigint }[]> {
  return tx
    .selectFrom("payment")
    .select(["stayed_micros as chargeMicros", sql<bigint>`bonus_micros - bonus_returned_micros`.as("bonusMicros")])
    .where("customer_id", "=", customerId)
    .where("status", "=", "paid")
    .where("settled_at", ">", new Date(now.getTime() - DAY_MS))
    .limit(MAX_PAYMENTS)
    .execute();
}

function toFacts(row: FactsRow | undefined): PaymentFacts {
  if (row === undefined) throw new Error("tier_facts always answers one row.");
  return {
    paidPayments: Number(row.paid),
    authenticatedPayments: Number(row.authenticated),
    longSettledMicros: row.settled_micros,
    everDisputed: row.disputed,
  };
}
