import type { PriceHistoryResponse } from "@farline/contract/operator/prices.ts";
import { countries } from "@farline/domain/countries/countries.ts";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { Card } from "../../ui/card.tsx";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Spinner } from "../../ui/button.tsx";
import { consoleRequest } from "../console-request.ts";
import { SelectField } from "../shell/select-field.tsx";
import { timeText } from "../shell/time-text.ts";
import { HistoryChart } from "./history-chart.tsx";
import * as rows from "../shell/rows.module.css";
import * as styles from "./prices.module.css";

const OPTIONS = countries
  .filter(({ selectable }) => selectable)
  .map(({ iso2, name }) => [iso2, name] as const)
  .toSorted(([, a], [, b]) => a.localeCompare(b, "en"));

/** What calls to a country have cost and were sold for. The address keeps the country. */
export function HistoryCard() {
  const [address, setAddress] = useSearchParams();
  const country = address.get("country") ?? "";
  const history = useQuery({
    queryKey: ["price-history", country],
    queryFn: country === "" ? skipToken : () => consoleRequest("GET /api/operator/prices/history", { query: { country } }),
  });
  return (
    <Card title="Prices of a country over time">
      <div className={styles.form}>
        <SelectField
          label="Country"
          value={country}
          options={[["", "Choose a country"], ...OPTIONS]}
          onChosen={(chosen) => setAddress(chosen === "" ? {} : { country: chosen })}
        />
        {country !== "" && history.isPending && <Spinner />}
        {history.isError && <LoadFailure text="The prices could not be loaded" of={history} />}
        {history.data !== undefined && (
          <>
            <HistoryChart periods={history.data.periods} readAtMs={history.dataUpdatedAt} />
            <Periods periods={history.data.periods} />
          </>
        )}
      </div>
    </Card>
  );
}

function Periods({ periods }: Pick<PriceHistoryResponse, "periods">) {
  if (periods.length === 0) return <EmptyState title="No deck was ever in force" />;
  return (
    <ul className={rows.rows} aria-label="Prices over time">
      {periods.map(({ deck_id: deck, name, from, until, state, prices }) => (
        <li key={`${deck} ${from}`} className={rows.row}>
          <div className={rows.head}>
            <span className={rows.title}>{name}</span>
            <span className="small fig">{periodText({ from, until, state })}</span>
          </div>
          {prices.length === 0 && <p className="muted">Not sold.</p>}
          {prices.map(({ number_type: type, prefixes, cost, price }) => (
            <div key={type} className={rows.facts}>
              <span>{`${TYPES[type] ?? type}, ${prefixes} prefixes`}</span>
              <span className="fig">{`cost ${rangeText(cost)} a minute`}</span>
              <span className="fig">{`sold for ${rangeText(price)} a minute`}</span>
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}

const TYPES: Readonly<Record<string, string>> = {
  mobile: "mobile",
  landline: "landline",
  fixed_or_mobile: "landline or mobile",
};

type Period = Pick<PriceHistoryResponse["periods"][number], "from" | "until" | "state">;

function periodText({ from, until, state }: Period): string {
  if (state === "past" && until !== null) return `${timeText(from)} to ${timeText(until)}`;
  return state === "in_force" ? `since ${timeText(from)}` : `from ${timeText(from)}`;
}

function rangeText({ lowest, highest }: { readonly lowest: string; readonly highest: string }): string {
  return lowest === highest ? `$${lowest}` : `$${lowest} to $${highest}`;
}
