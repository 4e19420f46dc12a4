import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { Stripe } from "stripe";
import { withDatabase } from "./database.ts";
import type { Load } from "./payment-load.ts";

const RECEIPTS_WITHIN_MS = 60_000;

/** Compares a restored database with the provider and with what customers have seen. @returns a sentence for each fault */
export function compareBooks(given: {
  databaseUrl: string;
  stripe: { url: string; key: string };
  load: Load;
}): Promise<string[]> {
  return withDatabase(given.databaseUrl, async (client) => {
    await allReceiptsIssued(client);
    return [
      ...(await compareBalances(client, given)),
      ...(await comparePayments(client, given.load)),
      ...(await compareReceipts(client, given.load)),
    ];
  });
}

async function allReceiptsIssued(client: pg.Client): Promise<void> {
  const until = Date.now() + RECEIPTS_WITHIN_MS;
  while (Date.now() < until) {
    const { rowCount } = await client.query(
      `select from payment where status = 'paid' and receipt_id is null
       union all select from refund where status = 'succeeded' and receipt_id is null limit 1`,
    );
    if (rowCount === 0) return;
    await pause(500);
  }
}

/** Customers without test credit have only paid and withdrawn, so each balance is what the provider holds for them. */
async function compareBalances(client: pg.Client, { stripe: at }: { stripe: { url: string; key: string } }): Promise<string[]> {
  const { hostname: host, port } = new URL(at.url);
  const stripe = new Stripe(at.key, { host, port: Number(port), protocol: "http" });
  const cents = new Map<string, number>();
  const add = (customer: string | undefined, by: number) =>
    customer !== undefined && cents.set(customer, (cents.get(customer) ?? 0) + by);
  for await (const charge of stripe.charges.list({ limit: 100 }))
    if (charge.paid) add(charge.metadata["customer_id"], charge.amount);
  for await (const refund of stripe.refunds.list({ limit: 100 }))
    if (refund.status !== "failed") add(refund.metadata?.["customer_id"], -refund.amount);
  const { rows } = await client.query<{ id: string; cents: string }>(
    `select customer_id as id, balance_micros / 10000 as cents from account
     where customer_id not in (select customer_id from test_credit_grant)`,
  );
  const here = new Map(rows.map((row) => [row.id, Number(row.cents)]));
  const faults: string[] = [];
  for (const [customer, amount] of cents)
    if (here.get(customer) !== amount)
      faults.push(`customer ${customer} has ${here.get(customer) ?? "no account"}, not ${amount} cents`);
  for (const [customer, amount] of here)
    if (amount !== 0 && !cents.has(customer)) faults.push(`customer ${customer} has ${amount} cents from nowhere`);
  return faults;
}

async function comparePayments(client: pg.Client, { paid }: Load): Promise<string[]> {
  const { rows } = await client.query<{ id: string; customer_id: string; cents: string }>(
    "select id, customer_id, charge_micros / 10000 as cents from payment where status = 'paid'",
  );
  const here = new Map(rows.map((row) => [row.id, `${row.customer_id} ${row.cents}`]));
  return [...paid].flatMap(([id, { customer, cents }]) =>
    here.get(id) === `${customer} ${cents}` ? [] : [`payment ${id} is ${here.get(id) ?? "missing"}`],
  );
}

async function compareReceipts(client: pg.Client, { receipts }: Load): Promise<string[]> {
  const { rows } = await client.query<{ number: string; what: string; payment_id: string; kind: string }>(
    `select number, kind || ' ' || payment_id || ' ' || to_char(amount_micros / 1000000.0, 'FM999990.00') as what, payment_id, kind
     from receipt`,
  );
  const faults: string[] = [];
  const known = new Set<string>();
  for (const { number, what, payment_id: payment, kind } of rows) {
    const seen = receipts.get(number);
    if (seen !== undefined && seen !== what) faults.push(`receipt ${number} was for ${seen} and is for ${what}`);
    if (kind === "payment" && known.has(payment)) faults.push(`payment ${payment} has two receipts`);
    if (kind === "payment") known.add(payment);
  }
  const here = new Set(rows.map(({ number }) => number));
  for (const [number, what] of receipts) if (!here.has(number)) faults.push(`receipt ${number} of ${what} is missing`);
  return faults;
}
