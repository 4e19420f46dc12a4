import { join } from "node:path";
import type { DeclaredRoute } from "@farline/contract/api/route-access.ts";
import { accountRoutes, sessionGuards, signInMethodRoutes, takeTurns, type AccountContext } from "./accounts/accounts.ts";
import { billingMetrics, billingRoutes, monthRoutes, reconciliationMetrics, refundRoutes } from "./billing/billing.ts";
import { callMetrics, callRoutes, PublishedQuality, qualityRoutes, type CallContext } from "./calls/calls.ts";
import { caseMetrics, caseRoutes } from "./cases/cases.ts";
import { contactRoutes } from "./contacts/contacts.ts";
import { deckRoutes, priceRoutes } from "./decks/decks.ts";
import { familyRoutes } from "./family/family.ts";
import { ledgerMetrics } from "./ledger/ledger.ts";
import { liveRoutes } from "./live/live.ts";
import { mailMetrics } from "./mail/mail.ts";
import { reminderRoutes } from "./reminders/reminders.ts";
import { newsletterRoutes } from "./newsletter/newsletter.ts";
import { businessRoutes, operationRoutes } from "./operations/operations.ts";
import { operatorGuard, operatorRoutes, peopleRoutes, auditLogRoutes } from "./operator/operator.ts";
import { overviewRoutes } from "./overview/overview.ts";
import {
  createMonitoring,
  createReadiness,
  inlineCode,
  loadPageRenderer,
  monitorGuard,
  operationsRoutes,
  partMetrics,
  partStates,
  presentParts,
  publicPages,
  securityHeaders,
  webApp,
  type ReadReadiness,
} from "./pages/pages.ts";
import { archiveMetrics, watchMetrics, type DatabaseWatch } from "./platform/database/database-watch.ts";
import { readDatabaseMetrics, type ReadDatabase } from "./platform/database/read-database.ts";
import { createApp, type App } from "./platform/http/http.ts";
import type { Metric } from "./platform/metric.ts";
import { jobMetrics, type JobRunner } from "./platform/jobs/jobs.ts";
import { personalDataRoutes } from "./personal-data/personal-data.ts";
import { promotionRoutes } from "./promotions/promotions.ts";
import { refuseWhileClosed, type Intake } from "./restore/restore.ts";
import { PRICE_ROUTES } from "./rates/rates.ts";
import { breakerMetrics } from "./risk/risk.ts";
import { queueRoutes } from "./queue/queue.ts";
import { searchRoutes } from "./search/search.ts";
import { timelineRoutes } from "./timeline/timeline.ts";
import { AppError } from "./platform/app-error.ts";

const RETRY_AFTER_SECONDS = 2;
/** Routes that report the service's health or need no database: prices stay. */
const ALWAYS_OPEN: ReadonlySet<string> = new Set(["/api/health", "/api/ready", "/api/config", ...PRICE_ROUTES]);
/** Relative to the web app's folder. */
const PAGE_RENDERER = "renderer/dist/server-entry.js";

/** The contexts of subjects that extend the service's; the others use the common part. */
export interface ServiceContexts {
  readonly accounts: AccountContext;
  readonly calls: CallContext;
}

/** Every route of the service. Does not use the database or providers before the first request. */
export async function createServiceApp(
  { accounts, calls }: ServiceContexts,
  state: {
    readonly reading: ReadDatabase | null;
    readonly watch: Pick<DatabaseWatch, "answering" | "trouble" | "lockHolder" | "usedPercent">;
    readonly intake: Pick<Intake, "closed">;
    readonly lifecycle: { readonly stopping: boolean };
    readonly jobs: Pick<JobRunner, "lateSeconds">;
  },
  webFolder: string,
): Promise<{ readonly app: App; readonly routes: readonly DeclaredRoute[] }> {
  const ctx = accounts;
  const { watch, intake, lifecycle } = state;
  const { config, log, rates } = ctx;
  const routes: DeclaredRoute[] = [];
  const guards = { ...sessionGuards(ctx), operator: operatorGuard(ctx), monitor: monitorGuard(config) };
  const { trustedProxies, limitsScale, publicUrl } = config;
  const app = createApp({ log, trustedProxies, limitsScale, publicUrl, guards, routes });
  securityHeaders(app, config, inlineCode(webFolder));
  refuseWithoutDatabase(app, watch);
  refuseWhileClosed(app, intake);
  takeTurns(app, Math.ceil(config.databasePool / 2));
  countEvents(app, ctx);
  const readiness = createReadiness(ctx, { watch, intake });
  const monitoring = createMonitoring(app, ctx.clock, metricsOf({ accounts, calls }, { ...state, readiness }));
  const stop = new AbortController();
  app.addHook("onListen", async () => void monitoring.watch(stop.signal));
  app.addHook("onClose", async () => stop.abort());
  operationsRoutes(app, ctx, { readiness, lifecycle, monitoring });
  overviewRoutes(app, ctx, {
    troubles: () => monitoring.troubles(),
    parts: async () => presentParts(await readiness()),
    trunks: () => calls.trunks.states(),
  });
  const quality = new PublishedQuality(ctx);
  rates.routes(app);
  qualityRoutes(app, quality);
  accountRoutes(app, accounts);
  signInMethodRoutes(app, accounts);
  newsletterRoutes(app, ctx);
  billingRoutes(app, ctx, intake);
  callRoutes(app, calls);
  caseRoutes(app, ctx);
  contactRoutes(app, ctx);
  familyRoutes(app, ctx);
  reminderRoutes(app, ctx);
  promotionRoutes(app, ctx);
  operatorRoutes(app, ctx);
  peopleRoutes(app, ctx);
  auditLogRoutes(app, ctx);
  monthRoutes(app, ctx);
  operationRoutes(app, ctx);
  businessRoutes(app, ctx);
  deckRoutes(app, ctx);
  queueRoutes(app, ctx);
  priceRoutes(app, ctx);
  searchRoutes(app, ctx);
  timelineRoutes(app, ctx);
  refundRoutes(app, ctx);
  personalDataRoutes(app, ctx);
  liveRoutes(app, ctx);
  const renderer = await loadPageRenderer(join(webFolder, "..", PAGE_RENDERER));
  publicPages(app, ctx, { renderer, quality, intake, states: async () => partStates(await readiness()) });
  webApp(app, webFolder, config);
  return { app, routes };
}

/** The metrics of all subjects. */
function metricsOf(
  { accounts: ctx, calls }: ServiceContexts,
  {
    readiness,
    jobs,
    watch,
    reading,
  }: {
    readonly readiness: ReadReadiness;
    readonly jobs: Pick<JobRunner, "lateSeconds">;
    readonly reading: ReadDatabase | null;
    readonly watch: Pick<DatabaseWatch, "lockHolder" | "usedPercent">;
  },
): Metric[] {
  return [
    ...partMetrics(ctx, readiness),
    ...watchMetrics(watch),
    ...callMetrics(calls),
    ...billingMetrics(ctx),
    ...reconciliationMetrics(ctx),
    ...jobMetrics(jobs),
    ...archiveMetrics(ctx),
    ...readDatabaseMetrics(reading),
    ...ledgerMetrics(ctx),
    ...breakerMetrics(ctx),
    ...caseMetrics(ctx),
    ...mailMetrics(ctx),
  ];
}

/** Providers' events are uses of ours: an answer of 5xx means that we could not take one. Forged ones say nothing. */
function countEvents(app: App, { uses }: Pick<ServiceContexts["accounts"], "uses">): void {
  app.addHook("onResponse", async (request, reply) => {
    if (request.routeOptions.config.access !== "provider") return;
    const { statusCode: status } = reply;
    if (status >= 500) uses.record("webhooks", `We answer with status ${status}.`);
    else if (status < 300) uses.record("webhooks", null);
  });
}

/** Refuses requests that need the database while it does not answer. Call it before adding routes. */
function refuseWithoutDatabase(app: App, watch: Pick<DatabaseWatch, "answering">): void {
  app.addHook("onRequest", async (request) => {
    if (watch.answering) return;
    const { url = "" } = request.routeOptions;
    if (!url.startsWith("/api/") || ALWAYS_OPEN.has(url)) return;
    throw new AppError("unavailable", { retryAfterSeconds: RETRY_AFTER_SECONDS });
  });
}
