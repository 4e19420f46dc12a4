import { join } from "node:path";
import type { SiteFacts } from "@farline/contract/public-pages.ts";
import type { DeclaredRoute } from "@farline/contract/api/route-access.ts";
import type { Logger } from "pino";
import { accountRoutes, sessionGuards, signInMethodRoutes } from "./accounts/accounts.ts";
import { billingRoutes, reconciliationMetrics, type BillingDependencies } from "./billing/billing.ts";
import { callMetrics, callRoutes } from "./calls/calls.ts";
import { caseMetrics, caseRoutes } from "./cases/cases.ts";
import { contactRoutes } from "./contacts/contacts.ts";
import { liveRoutes } from "./live/live.ts";
import { newsletterRoutes } from "./newsletter/newsletter.ts";
import {
  createReadiness,
  loadPageRenderer,
  operationsRoutes,
  operatorGuard,
  publicPages,
  securityHeaders,
  webApp,
} from "./pages/pages.ts";
import type { Clock } from "./platform/clock.ts";
import { refuseWithoutDatabase, type DatabaseWatch } from "./platform/database/database-watch.ts";
import type { DatabaseHandle } from "./platform/database/database.ts";
import { createApp, type App } from "./platform/http/http.ts";
import type { Config } from "./platform/settings/config.ts";
import { personalDataRoutes } from "./personal-data/personal-data.ts";
import { offersOf, promotionRoutes } from "./promotions/promotions.ts";
import type { Rates } from "./rates/rates.ts";
import { breakerMetrics } from "./risk/risk.ts";

/** Beside the web app. */
const PAGE_RENDERER = "renderer/dist/server-entry.js";

/** Dependencies of the routes. */
export interface ServiceAppDependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly handle: DatabaseHandle;
  /** For every subject with routes. */
  readonly shared: Parameters<typeof accountRoutes>[1] &
    Parameters<typeof signInMethodRoutes>[1] &
    Parameters<typeof newsletterRoutes>[1] &
    Parameters<typeof caseRoutes>[1] &
    Parameters<typeof contactRoutes>[1] &
    Parameters<typeof promotionRoutes>[1] &
    Parameters<typeof personalDataRoutes>[1] &
    Parameters<typeof liveRoutes>[1];
  readonly billing: BillingDependencies;
  readonly calls: Parameters<typeof callRoutes>[1];
  readonly rates: Rates;
  readonly watch: Pick<DatabaseWatch, "answering">;
}

/** Every route of the service. Does not use the database or providers before the first request. */
export async function createServiceApp(
  deps: ServiceAppDependencies,
  webFolder: string,
): Promise<{ readonly app: App; readonly routes: readonly DeclaredRoute[] }> {
  const { config, clock, log, handle, shared, rates } = deps;
  const routes: DeclaredRoute[] = [];
  const guards = { ...sessionGuards(shared.authenticate, { clock }), operator: operatorGuard(config) };
  const app = createApp({ log, trustedProxies: config.trustedProxies, limitsScale: config.limitsScale, guards, routes });
  securityHeaders(app, config);
  refuseWithoutDatabase(app, deps.watch);
  const readiness = createReadiness({ config, db: handle.db, log, ratesReady: () => rates.ready() });
  operationsRoutes(app, {
    config,
    clock,
    readiness,
    metrics: [
      ...reconciliationMetrics(handle.db),
      ...breakerMetrics({ db: handle.db, clock }),
      ...caseMetrics({ db: handle.db, clock }),
      ...callMetrics(deps.calls),
    ],
  });
  rates.routes(app);
  accountRoutes(app, shared);
  signInMethodRoutes(app, shared);
  newsletterRoutes(app, shared);
  billingRoutes(app, deps.billing);
  callRoutes(app, deps.calls);
  caseRoutes(app, shared);
  contactRoutes(app, shared);
  promotionRoutes(app, shared);
  personalDataRoutes(app, shared);
  liveRoutes(app, shared);
  const renderer = await loadPageRenderer(join(webFolder, "..", PAGE_RENDERER));
  publicPages(app, { renderer, site: siteFacts(config), rates, readiness, clock, limitsScale: config.limitsScale });
  webApp(app, webFolder);
  return { app, routes };
}

/** The operator's details shown on the public pages. */
function siteFacts({ publicUrl, sandboxUrl, supportEmail, socialLinks, promotions, sellerNotice }: Config): SiteFacts {
  const { first_call: firstCall } = offersOf(promotions);
  return { origin: publicUrl, sandboxUrl, supportEmail, socialLinks, firstCall, seller: sellerNotice };
}
