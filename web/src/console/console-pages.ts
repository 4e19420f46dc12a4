import type { OperatorRight } from "@farline/contract/operator/rights.ts";
import { type FunctionComponent, lazy } from "react";
import { loadPart } from "../session/load-part.ts";

interface ConsolePage {
  readonly path: `/operator/${string}`;
  /** In the navigation; null for a page that others lead to. */
  readonly title: string | null;
  /** Without it the page is not shown. */
  readonly right: OperatorRight;
  readonly Page: FunctionComponent;
}

/** A page whose code is loaded when it is first opened. */
function page(load: () => Promise<FunctionComponent>): FunctionComponent {
  return lazy(async () => ({ default: await loadPart(load) }));
}

/** One page at both addresses, so that what it holds stays when a case is opened. */
const QueuePage = page(async () => (await import("./queue/queue-page.tsx")).QueuePage);

/** The console's pages, in the order of the navigation. The first that the operator may see is shown at `/operator`. */
export const consolePages: readonly ConsolePage[] = [
  {
    path: "/operator/overview",
    title: "Overview",
    right: "read-overview",
    Page: page(async () => (await import("./overview/overview-page.tsx")).OverviewPage),
  },
  {
    path: "/operator/search",
    title: "Search",
    right: "read-customers",
    Page: page(async () => (await import("./lookup/search-page.tsx")).SearchPage),
  },
  {
    path: "/operator/live",
    title: "Live calls",
    right: "read-customers",
    Page: page(async () => (await import("./lookup/live-page.tsx")).LiveCallsPage),
  },
  {
    path: "/operator/queue",
    title: "Queue",
    right: "read-queue",
    Page: QueuePage,
  },
  { path: "/operator/queue/:kind/:id", title: null, right: "read-queue", Page: QueuePage },
  {
    path: "/operator/customers/:id",
    title: null,
    right: "read-customers",
    Page: page(async () => (await import("./lookup/customer-page.tsx")).CustomerPage),
  },
  {
    path: "/operator/calls/:id",
    title: null,
    right: "read-customers",
    Page: page(async () => (await import("./lookup/call-page.tsx")).CallPage),
  },
  {
    path: "/operator/prices",
    title: "Prices",
    right: "read-costs",
    Page: page(async () => (await import("./prices/prices-page.tsx")).PricesPage),
  },
  {
    path: "/operator/decks",
    title: "Decks",
    right: "read-costs",
    Page: page(async () => (await import("./decks/decks-page.tsx")).DecksPage),
  },
  {
    path: "/operator/decks/import",
    title: null,
    right: "decks",
    Page: page(async () => (await import("./decks/import-page.tsx")).ImportPage),
  },
  {
    path: "/operator/month",
    title: "Month",
    right: "read-costs",
    Page: page(async () => (await import("./month/month-page.tsx")).MonthPage),
  },
  {
    path: "/operator/traffic",
    title: "Traffic",
    right: "read-costs",
    Page: page(async () => (await import("./overview/traffic-page.tsx")).TrafficPage),
  },
  {
    path: "/operator/promos",
    title: "Promo codes",
    right: "read-costs",
    Page: page(async () => (await import("./business/promos-page.tsx")).PromosPage),
  },
  {
    path: "/operator/protection",
    title: "Protection",
    right: "restrict",
    Page: page(async () => (await import("./business/protection-page.tsx")).ProtectionPage),
  },
  {
    path: "/operator/reconciliation",
    title: "Reconciliation",
    right: "reconcile",
    Page: page(async () => (await import("./business/reconciliation-page.tsx")).ReconciliationPage),
  },
  {
    path: "/operator/settings",
    title: "Settings",
    right: "read-costs",
    Page: page(async () => (await import("./business/settings-page.tsx")).SettingsPage),
  },
  {
    path: "/operator/record",
    title: "Record",
    right: "read-record",
    Page: page(async () => (await import("./operators/record-page.tsx")).RecordPage),
  },
  {
    path: "/operator/operators",
    title: "Operators",
    right: "read-operators",
    Page: page(async () => (await import("./operators/operators-page.tsx")).OperatorsPage),
  },
];
