import type { Logger } from "pino";
import { createStripe } from "./billing/billing.ts";
import { transactions, type Context } from "./context.ts";
import { ledger } from "./ledger/ledger.ts";
import { createLive } from "./live/live.ts";
import { systemClock } from "./platform/clock.ts";
import { openDatabase } from "./platform/database/database.ts";
import { readsOf } from "./platform/database/read-database.ts";
import { Uses } from "./platform/uses.ts";
import { createSettings } from "./settings/settings.ts";

/** Enough for one operation and its notices. */
const POOL_SIZE = 4;

/** What a process other than the service needs to know of the installation. */
export type OwnProcessConfig = Context["config"] & { readonly databaseUrl: string };

/** Opens a context for one operation in a process of its own, such as a command, and closes it when `run` has ended. */
export async function withOwnContext<Result>(
  { databaseUrl, ...config }: OwnProcessConfig,
  log: Logger,
  run: (ctx: Context) => Promise<Result>,
): Promise<Result> {
  const handle = openDatabase(databaseUrl, POOL_SIZE, log);
  const live = createLive({ handle, databaseUrl, log });
  const actor = { kind: "job" } as const;
  const clock = systemClock;
  try {
    const settings = await createSettings({ db: handle.db, clock, log });
    settings.close();
    const uses = new Uses(clock);
    const stripe = createStripe(config, uses);
    return await run({
      actor,
      transaction: transactions({ handle, clock, uses }, actor),
      handle,
      read: readsOf(handle),
      stripe,
      uses,
      settings,
      config,
      clock,
      log,
      ledger,
      live,
    });
  } finally {
    await live.close();
    await handle.close();
  }
}
