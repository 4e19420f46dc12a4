import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { DeclaredRoute } from "@farline/contract/api/route-access.ts";
import type { Logger } from "pino";
import { PROOF_BITS } from "@farline/contract/robot-check.ts";
import { accountJobs, createAccountContext, createAuthenticate, PASSWORD_COST } from "./accounts/accounts.ts";
import { billingJobs, createStripe, endCardAccess } from "./billing/billing.ts";
import { callJobs, createCallContext, createTelnyx, endCallAccess, findSessionsInCall } from "./calls/calls.ts";
import { endFamilyAccess, familyJobs } from "./family/family.ts";
import { ledger, ledgerJobs } from "./ledger/ledger.ts";
import { createLive } from "./live/live.ts";
import { mailJobs } from "./mail/mail.ts";
import { reminderJobs } from "./reminders/reminders.ts";
import { newsletterJobs } from "./newsletter/newsletter.ts";
import { systemClock, type Clock } from "./platform/clock.ts";
import type { Config } from "./platform/settings/config.ts";
import { DatabaseWatch } from "./platform/database/database-watch.ts";
import { type DatabaseHandle, openDatabase } from "./platform/database/database.ts";
import { ReadDatabase, readsOf } from "./platform/database/read-database.ts";
import { type App } from "./platform/http/http.ts";
import { JobRunner, type Job } from "./platform/jobs/jobs.ts";
import { createLog } from "./platform/log.ts";
import { renameZones } from "./platform/time-zones.ts";
import { migrate } from "./platform/database/migrate.ts";
import { endExports, personalDataJobs } from "./personal-data/personal-data.ts";
import { operatorJobs } from "./operator/operator.ts";
import { promotionJobs, seedSampleCampaign } from "./promotions/promotions.ts";
import { createRates } from "./rates/rates.ts";
import { watchIntake } from "./restore/restore.ts";
import { riskJobs } from "./risk/risk.ts";
import { Uses } from "./platform/uses.ts";
import { actingAs, transactions, type Actor, type Context, type ServiceContext } from "./context.ts";
import { createSettings } from "./settings/settings.ts";
import { createServiceApp, type ServiceContexts } from "./service-app.ts";

const WEB_FOLDER = fileURLToPath(new URL("../../web/dist", import.meta.url));
/** Requests in progress may take this long before their connections are cut. */
const DRAIN_MS = 3_000;
/** What accounts need from subjects above them. */
const ELSEWHERE = { endElsewhere: [endCallAccess, endCardAccess, endFamilyAccess, endExports], findSessionsInCall };

export interface Service {
  /** The address it listens on, without a trailing slash. */
  readonly url: string;
  /** The router's routes with their declared access. */
  readonly routes: readonly DeclaredRoute[];
  /**
   * Refuses new requests, waits briefly for those in progress, stops the jobs and disconnects from the database.
   * @param noticeMs how long it first serves as before but is not ready, so that balancers send new requests elsewhere
   */
  close(noticeMs?: number): Promise<void>;
}

/** For tests: replaces the clock, log and other dependencies. */
interface ServiceOverrides {
  readonly clock?: Clock;
  readonly log?: Logger;
  /** The built web app. */
  readonly webFolder?: string;
}

/** Starts the service: schema, rates, routes, socket, jobs. The only file that knows all subjects. */
export async function startService(config: Config, overrides: ServiceOverrides = {}): Promise<Service> {
  const log = overrides.log ?? createLog(config.logLevel, "service");
  const clock = overrides.clock ?? systemClock;
  await migrate(config.databaseUrl, log);
  const handle = openDatabase(config.databaseUrl, config.databasePool, log);
  const watch = new DatabaseWatch(config.databaseUrl, handle.pool, log);
  const reading = openReadDatabase(config, handle, log);
  const undo: (() => unknown)[] = [() => watch.close(), () => reading?.close(), () => handle.close()];
  try {
    await renameZones(handle.db, log);
    const live = createLive({ handle, databaseUrl: config.databaseUrl, log });
    undo.unshift(() => live.close());
    const settings = await createSettings({ db: handle.db, clock, log });
    undo.unshift(() => settings.close());
    const intake = await watchIntake({ db: handle.db, log });
    undo.unshift(() => intake.close());
    const actor: Actor = { kind: "customer" };
    const uses = new Uses(clock);
    const base: Context = {
      actor,
      clock,
      log,
      handle,
      uses,
      read: reading?.read ?? readsOf(handle),
      transaction: transactions({ handle, clock, uses }, actor),
      ledger,
      live,
      stripe: createStripe(config, uses),
      settings,
      config,
    };
    const rates = await createRates(base);
    undo.unshift(() => rates.close());
    if (config.mode === "sandbox") await seedSampleCampaign(base);
    const ctx: ServiceContext = {
      ...base,
      config,
      rates,
      authenticate: createAuthenticate(base),
      telnyx: createTelnyx(config, uses),
      costs: { password: PASSWORD_COST, proofBits: PROOF_BITS },
    };
    const lifecycle = { stopping: false };
    const accounts = createAccountContext(ctx, ELSEWHERE);
    const calls = createCallContext(ctx);

    const jobs = new JobRunner(config.databaseUrl, log, intake);
    const { app, routes } = await createServiceApp(
      { accounts, calls },
      { watch, reading, intake, lifecycle, jobs },
      overrides.webFolder ?? WEB_FOLDER,
    );
    undo.unshift(() => Promise.all([closeApp(app), jobs.stop(DRAIN_MS)]));
    watch.start();
    const url = await app.listen({ port: config.port, host: config.host });
    jobs.start(jobsOf({ accounts, calls }));
    return {
      url,
      routes,
      async close(noticeMs = 0) {
        lifecycle.stopping = true;
        await pause(noticeMs);
        await unwind(undo);
      },
    };
  } catch (error) {
    await unwind(undo);
    throw error;
  }
}

function openReadDatabase(config: Config, primary: DatabaseHandle, log: Logger): ReadDatabase | null {
  const { databaseReadUrl: url, databasePool: poolSize } = config;
  if (url === null) return null;
  const reading = new ReadDatabase(url, { primary, poolSize, log });
  reading.start();
  return reading;
}

/** The jobs of all subjects. */
export function jobsOf(contexts: ServiceContexts): Job[] {
  const accounts = actingAs(contexts.accounts, { kind: "job" });
  const calls = actingAs(contexts.calls, { kind: "job" });
  return [
    ...accountJobs(accounts),
    ...mailJobs(accounts),
    ...newsletterJobs(accounts),
    ...reminderJobs(accounts),
    ...ledgerJobs(accounts),
    ...billingJobs(accounts),
    ...callJobs(calls),
    ...familyJobs(accounts),
    ...promotionJobs(accounts),
    ...personalDataJobs(accounts),
    ...riskJobs(accounts),
    ...operatorJobs(accounts),
  ];
}

/** Runs every clean-up step even if one fails, then reports the failures. */
async function unwind(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "The service did not stop cleanly.");
}

async function closeApp(app: App): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(cut);
  }
}
