import { readTerms, type StandingFacts } from "@farline/domain/business/customer-terms.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { settledBefore, TIER_RULES } from "@farline/domain/calls/risk-tier.ts";
import { sql } from "kysely";
import type { DatabaseHandle, Tx } from "../platform/database/database.ts";
import { executePrepared } from "../platform/database/prepared.ts";
import type { Breaker } from "./risk.tables.ts";

/** More than any checkout limit allows in a day. */
const MAX_PAYMENTS = 500;
const MIN_STAYED_MICROS = TIER_RULES.minKeptMicros;

/** The facts for a customer's tier that come from payments. The others are in the customer's row. */
export type PaymentFacts = Omit<StandingFacts, "createdAt" | "emailVerified">;

interface FactsRow {
  paid: bigint;
  authenticated: bigint;
  settled_micros: bigint;
  disputed: boolean;
  /** By name; what operators have set for the customer. */
  terms: Record<string, string>;
}

/** Reads the facts for a customer's tier that come from payments. */
export async function readPaymentFacts(tx: Tx, customerId: string, now: Date): Promise<PaymentFacts> {
  const query = sql<FactsRow>`select t.*, customer_terms_in_force(${customerId}, ${now}) as terms
    from tier_facts(${customerId}, ${settledBefore(now)}, ${MIN_STAYED_MICROS}) t`;
  const rows = await executePrepared(tx, "payment_facts", query);
  return toFacts(rows[0]);
}

/** A destination by the fields that breakers match. */
interface BreakerSubject {
  /** The rate's prefix, digits. */
  readonly prefix: string;
  /** The rate's country, ISO code. */
  readonly countryCode: string;
}

/** Reads a customer's facts, and the breakers for a destination or for all calls, in one statement. */
export async function readCallRisk(
  { db }: DatabaseHandle,
  subject: BreakerSubject & { customerId: string; now: Date },
): Promise<{ facts: PaymentFacts; breakers: Breaker[] }> {
  const { customerId, now, prefix, countryCode } = subject;
  const query = sql<FactsRow & { breaker: (Omit<Breaker, "until"> & { until: string }) | null }>`
    select t.*, customer_terms_in_force(${customerId}, ${now}) as terms, to_jsonb(b) as breaker
    from tier_facts(${customerId}, ${settledBefore(now)}, ${MIN_STAYED_MICROS}) t
    left join breaker b on b.until > ${now} and b.lifted_at is null and (b.kind = 'carrier_spend'
      or (b.kind = 'prefix' and b.subject = ${prefix}) or (b.kind = 'country' and b.subject = ${countryCode}))`;
  const rows = await executePrepared(db, "call_risk", query);
  const breakers = rows.flatMap(({ breaker }) => (breaker === null ? [] : [{ ...breaker, until: new Date(breaker.until) }]));
  return { facts: toFacts(rows[0]), breakers };
}

/** What is still given of a `gift`, in micro-dollars. */
const LEFT = sql<bigint>`gift.amount_micros - gift_returned(gift.id, gift.beneficiary_id)`;

/** The payments and received gifts of the last 24 hours, minus what was returned or given away since, in micro-dollars. */
export async function readFreshPayments(
  tx: Tx,
  customerId: string,
  now: Date,
): Promise<{ chargeMicros: bigint; bonusMicros: bigint }[]> {
  const since = new Date(now.getTime() - DAY_MS);
  const received = await tx
    .selectFrom("credit_gift as gift")
    .select([LEFT.as("chargeMicros"), sql<bigint>`0::bigint`.as("bonusMicros")])
    .where("gift.beneficiary_id", "=", customerId)
    .where("gift.state", "=", "given")
    .where("gift.decided_at", ">", since)
    .limit(MAX_PAYMENTS)
    .execute();
  const paid = await tx
    .selectFrom("payment")
    .leftJoin("credit_gift as gift", (join) => join.onRef("gift.payment_id", "=", "payment.id").on("gift.state", "=", "given"))
    .select([
      sql<bigint>`greatest(0, stayed_micros - coalesce(${LEFT}, 0))`.as("chargeMicros"),
      sql<bigint>`bonus_micros - bonus_returned_micros`.as("bonusMicros"),
    ])
    .where("payment.customer_id", "=", customerId)
    .where("payment.status", "=", "paid")
    .where("payment.settled_at", ">", since)
    .limit(MAX_PAYMENTS)
    .execute();
  return [...paid, ...received].filter(({ chargeMicros, bonusMicros }) => chargeMicros + bonusMicros > 0n);
}

function toFacts(row: FactsRow | undefined): PaymentFacts {
  if (row === undefined) throw new Error("tier_facts returned no row.");
  return {
    paidPayments: Number(row.paid),
    authenticatedPayments: Number(row.authenticated),
    longSettledMicros: row.settled_micros,
    everDisputed: row.disputed,
    terms: readTerms(row.terms),
  };
}
