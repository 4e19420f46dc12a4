import type { OperatorRight } from "@farline/contract/operator/rights.ts";
import type { FunctionComponent } from "react";
import { ApprovalsPage } from "./approvals/approvals-page.tsx";
import { DecksPage } from "./decks/decks-page.tsx";
import { ImportPage } from "./decks/import-page.tsx";
import { CallPage } from "./lookup/call-page.tsx";
import { CustomerPage } from "./lookup/customer-page.tsx";
import { LiveCallsPage } from "./lookup/live-page.tsx";
import { SearchPage } from "./lookup/search-page.tsx";
import { MonthPage } from "./month/month-page.tsx";
import { OperatorsPage } from "./operators/operators-page.tsx";
import { QueuePage } from "./queue/queue-page.tsx";
import { PricesPage } from "./prices/prices-page.tsx";
import { RecordPage } from "./record/record-page.tsx";
import { TrafficPage } from "./traffic/traffic-page.tsx";

interface ConsolePage {
  readonly path: `/operator/${string}`;
  /** In the navigation; null for a page that others lead to. */
  readonly title: string | null;
  /** Without it the page is not shown. */
  readonly right: OperatorRight;
  readonly Page: FunctionComponent;
}

/** The console's pages, in the order of the navigation. The first that the operator may see is shown at `/operator`. */
export const consolePages: readonly ConsolePage[] = [
  { path: "/operator/search", title: "Search", right: "read-customers", Page: SearchPage },
  { path: "/operator/live", title: "Live calls", right: "read-customers", Page: LiveCallsPage },
  { path: "/operator/queue", title: "Queue", right: "read-queue", Page: QueuePage },
  { path: "/operator/customers/:id", title: null, right: "read-customers", Page: CustomerPage },
  { path: "/operator/calls/:id", title: null, right: "read-customers", Page: CallPage },
  { path: "/operator/approvals", title: "Approvals", right: "read-approvals", Page: ApprovalsPage },
  { path: "/operator/prices", title: "Prices", right: "read-costs", Page: PricesPage },
  { path: "/operator/decks", title: "Decks", right: "read-costs", Page: DecksPage },
  { path: "/operator/decks/import", title: null, right: "decks", Page: ImportPage },
  { path: "/operator/month", title: "Month", right: "read-costs", Page: MonthPage },
  { path: "/operator/traffic", title: "Traffic", right: "read-costs", Page: TrafficPage },
  { path: "/operator/record", title: "Record", right: "read-record", Page: RecordPage },
  { path: "/operator/operators", title: "Operators", right: "read-operators", Page: OperatorsPage },
];
