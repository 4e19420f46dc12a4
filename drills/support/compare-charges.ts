import pg from "pg";
import type { CallLoad } from "./call-load.ts";

/** The exchange and the callers measure by themselves. */
const MEASURED_WITHIN_MS = 1_000;

interface Talked {
  readonly id: string;
  readonly durationMs: number;
}

interface Caller {
  readonly id: string;
  readonly expected: string;
  readonly actual: string;
}

/**
 * Compares the calls that callers have hung up after `talkMs`, and their callers' balances, with the ledger.
 * @returns a sentence for each call that is too short, and for each caller who paid anything else than the calls' charges
 */
export async function compareCharges(
  databaseUrl: string,
  { hungUpAt }: Pick<CallLoad, "hungUpAt">,
  talkMs: number,
): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const calls = await client.query<Talked>(`select id, duration_ms as "durationMs" from call where id = any($1)`, [
      [...hungUpAt.keys()],
    ]);
    const callers = await client.query<Caller>(
      `select a.customer_id as id, a.balance_micros - a.debt_micros as actual,
         (select sum(amount_micros) from test_credit_grant g where g.customer_id = a.customer_id)
           - (select coalesce(sum(charge_micros), 0) from call c where c.customer_id = a.customer_id) as expected
       from account a where customer_id in (select customer_id from call where id = any($1))`,
      [[...hungUpAt.keys()]],
    );
    return [
      ...calls.rows.flatMap(({ id, durationMs }) =>
        durationMs >= talkMs - MEASURED_WITHIN_MS ? [] : [`call ${id} lasted ${talkMs} ms, and its record says ${durationMs} ms`],
      ),
      ...callers.rows.flatMap(({ id, expected, actual }) =>
        expected === actual ? [] : [`caller ${id} has ${actual} micro-dollars, not ${expected}`],
      ),
    ];
  } finally {
    await client.end();
  }
}
