import type { OperatorRight } from "@farline/contract/operator/rights.ts";
import {
  IconAdjustmentsHorizontal,
  IconBuildingBank,
  IconChartBar,
  IconCoin,
  IconCreditCard,
  IconDiscount,
  IconFileImport,
  IconHistory,
  IconKey,
  IconLayoutDashboardFilled,
  IconMail,
  IconPhoneCall,
  IconPlugConnected,
  IconReceipt,
  IconScale,
  IconSearch,
  IconUsers,
} from "@tabler/icons-react";
import { type ComponentProps, type FunctionComponent, lazy } from "react";
import { loadPart } from "../session/load-part.ts";
import type { Icon } from "../ui/icon.tsx";

/** The groups of the navigation; the first needs no heading. */
export const pageGroups = ["", "Work", "Money", "Control"] as const;

export interface ConsolePage {
  readonly path: `/operator/${string}`;
  /** In the navigation; null for a page that others lead to. */
  readonly title: string | null;
  /** Shorter, for the foot of a phone. */
  readonly tab?: string;
  readonly group: (typeof pageGroups)[number] | null;
  readonly icon: ComponentProps<typeof Icon>["of"] | null;
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
    group: "",
    icon: IconLayoutDashboardFilled,
    right: "read-overview",
    Page: page(async () => (await import("./overview/overview-page.tsx")).OverviewPage),
  },
  {
    path: "/operator/runbooks/:name",
    title: null,
    group: null,
    icon: null,
    right: "read-overview",
    Page: page(async () => (await import("./overview/runbook-page.tsx")).RunbookPage),
  },
  {
    path: "/operator/live",
    title: "Live calls",
    tab: "Live",
    group: "",
    icon: IconPhoneCall,
    right: "read-customers",
    Page: page(async () => (await import("./lookup/live-page.tsx")).LiveCallsPage),
  },
  {
    path: "/operator/traffic",
    title: "Traffic",
    group: "",
    icon: IconChartBar,
    right: "read-costs",
    Page: page(async () => (await import("./overview/traffic-page.tsx")).TrafficPage),
  },
  {
    path: "/operator/queue",
    title: "Queue",
    group: "Work",
    icon: IconMail,
    right: "read-queue",
    Page: QueuePage,
  },
  { path: "/operator/queue/:kind/:id", title: null, group: null, icon: null, right: "read-queue", Page: QueuePage },
  {
    path: "/operator/search",
    title: "Search",
    group: "Work",
    icon: IconSearch,
    right: "read-customers",
    Page: page(async () => (await import("./lookup/search-page.tsx")).SearchPage),
  },
  {
    path: "/operator/customers",
    title: "Customers",
    group: "Work",
    icon: IconUsers,
    right: "read-customers",
    Page: page(async () => (await import("./lists/list-pages.tsx")).CustomersPage),
  },
  {
    path: "/operator/calls",
    title: "Calls",
    group: "Work",
    icon: IconHistory,
    right: "read-customers",
    Page: page(async () => (await import("./lists/list-pages.tsx")).CallsPage),
  },
  {
    path: "/operator/customers/:id",
    title: null,
    group: null,
    icon: null,
    right: "read-customers",
    Page: page(async () => (await import("./lookup/customer-page.tsx")).CustomerPage),
  },
  {
    path: "/operator/calls/:id",
    title: null,
    group: null,
    icon: null,
    right: "read-customers",
    Page: page(async () => (await import("./lookup/call-page.tsx")).CallPage),
  },
  {
    path: "/operator/payments",
    title: "Payments",
    group: "Money",
    icon: IconCreditCard,
    right: "read-customers",
    Page: page(async () => (await import("./lists/list-pages.tsx")).PaymentsPage),
  },
  {
    path: "/operator/month",
    title: "Month",
    group: "Money",
    icon: IconBuildingBank,
    right: "read-costs",
    Page: page(async () => (await import("./month/month-page.tsx")).MonthPage),
  },
  {
    path: "/operator/prices",
    title: "Prices",
    group: "Money",
    icon: IconCoin,
    right: "read-costs",
    Page: page(async () => (await import("./prices/prices-page.tsx")).PricesPage),
  },
  {
    path: "/operator/decks",
    title: "Decks",
    group: "Money",
    icon: IconFileImport,
    right: "read-costs",
    Page: page(async () => (await import("./decks/decks-page.tsx")).DecksPage),
  },
  {
    path: "/operator/decks/import",
    title: null,
    group: null,
    icon: null,
    right: "decks",
    Page: page(async () => (await import("./decks/import-page.tsx")).ImportPage),
  },
  {
    path: "/operator/promos",
    title: "Promo codes",
    group: "Money",
    icon: IconDiscount,
    right: "read-costs",
    Page: page(async () => (await import("./business/promos-page.tsx")).PromosPage),
  },
  {
    path: "/operator/reconciliation",
    title: "Reconciliation",
    group: "Money",
    icon: IconScale,
    right: "reconcile",
    Page: page(async () => (await import("./business/reconciliation-page.tsx")).ReconciliationPage),
  },
  {
    path: "/operator/protection",
    title: "Protection",
    group: "Control",
    icon: IconPlugConnected,
    right: "restrict",
    Page: page(async () => (await import("./business/protection-page.tsx")).ProtectionPage),
  },
  {
    path: "/operator/settings",
    title: "Settings",
    group: "Control",
    icon: IconAdjustmentsHorizontal,
    right: "read-costs",
    Page: page(async () => (await import("./business/settings-page.tsx")).SettingsPage),
  },
  {
    path: "/operator/audit-log",
    title: "Audit log",
    group: "Control",
    icon: IconReceipt,
    right: "read-audit-log",
    Page: page(async () => (await import("./operators/audit-log-page.tsx")).AuditLogPage),
  },
  {
    path: "/operator/operators",
    title: "Operators",
    group: "Control",
    icon: IconKey,
    right: "read-operators",
    Page: page(async () => (await import("./operators/operators-page.tsx")).OperatorsPage),
  },
];
