import { DAY_MS } from "@farline/domain/durations.ts";
import { readInstallation } from "@farline/cli/machine/installation.ts";
import { createLog } from "@farline/server/platform/log.ts";
import { openDatabase } from "@farline/server/platform/database/database.ts";
import { insertManyCalls } from "@farline/server/test/many-calls.ts";
import { newCustomer } from "@farline/server/test/new-customer.ts";

/**
 * Fills a running sandbox with past calls of made-up customers, so that pages with figures have something to show:
 * `npx node tools/plant-calls.ts`. The calls have no postings in the ledger. Never for a database with real customers.
 */
const CUSTOMERS = 60;
/** By country: unanswered calls of each customer beside four answered ones, the wait until the phone rings, and the sound. */
const COUNTRIES = {
  GB: [0, 1_400, 4.4],
  US: [1, 1_900, 4.3],
  IN: [1, 2_600, 4.1],
  GH: [2, 4_200, 3.9],
  NG: [3, 5_700, 3.5],
  PH: [1, 3_300, 4.2],
} as const;
const DAYS_AGO = [2, 9, 16, 25];

const handle = openDatabase(readInstallation(process.env).databaseUrl, 2, createLog("warn", "plant-calls"));
try {
  const by = await Promise.all(Array.from({ length: CUSTOMERS }, async () => (await newCustomer(handle)).id));
  for (const [countryCode, [unanswered, delayMs, mos]] of Object.entries(COUNTRIES))
    for (const [index, days] of DAYS_AGO.entries()) {
      const createdAt = new Date(Date.now() - days * DAY_MS);
      const took = { started_at: createdAt.toISOString(), duration_ms: 30_000, post_dial_delay_ms: delayMs * (1 + index) };
      const attempt = { ...took, trunk: "sandbox", sip_status: null, q850_cause: null };
      const call = { by, each: 1, createdAt, countryCode };
      await insertManyCalls(handle.db, {
        ...call,
        mos: mos - 0.1 * index,
        attempts: [{ ...attempt, outcome: "answered", sip_status: 200 }],
      });
      if (index < unanswered)
        await insertManyCalls(handle.db, { ...call, status: "failed", attempts: [{ ...attempt, outcome: "unanswered" }] });
    }
  await handle.db.deleteFrom("quality_report").execute();
  // The hours' sums were made before.
  await handle.pool.query("update call_hours_summed set until = since");
  console.log("Planted. The page /quality shows the calls within six minutes.");
} finally {
  await handle.close();
}
