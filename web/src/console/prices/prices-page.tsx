import { usePageTitle } from "../shell/page-title.ts";
import { ExplainCard } from "./explain-card.tsx";
import { HistoryCard } from "./history-card.tsx";

/** What a number costs and why, and what calls to a country have cost. */
export function PricesPage() {
  usePageTitle("Prices");
  return (
    <div className="stack">
      <h1 className="t-page">Prices</h1>
      <ExplainCard />
      <HistoryCard />
    </div>
  );
}
