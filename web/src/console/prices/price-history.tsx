import type { PriceHistoryResponse } from "@farline/contract/operator/prices.ts";
import { numberTypeWords } from "@farline/contract/operator/words/call-words.ts";
import { innerWordFor } from "@farline/contract/operator/words/words.ts";
import { countries } from "@farline/domain/countries/countries.ts";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import * as styles from "../console.module.css";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Chart } from "../chart/chart.tsx";
import { type ChartSeries, dollarsLine, hourText, rangeSentence, secondsOf } from "../chart/chart-texts.ts";
import { consoleRequest } from "../console-request.ts";
import { SelectField } from "../shell/fields.tsx";
import { Loaded } from "../shell/figures.tsx";
import { Times } from "../shell/inline-parts.tsx";

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
      <div className={styles.tight}>
        <SelectField
          label="Country"
          value={country}
          options={[["", "Choose a country"], ...OPTIONS]}
          onChosen={(chosen) => setAddress(chosen === "" ? {} : { country: chosen })}
        />
        {country !== "" && (
          <Loaded of={history} failure="The prices could not be loaded">
            {({ periods }) => (
              <>
                <HistoryChart periods={periods} readAtMs={history.dataUpdatedAt} />
                <Periods periods={periods} />
              </>
            )}
          </Loaded>
        )}
      </div>
    </Card>
  );
}

function Periods({ periods }: Pick<PriceHistoryResponse, "periods">) {
  if (periods.length === 0) return <EmptyState title="No deck was ever active" />;
  return (
    <ul className={styles.rows} aria-label="Prices over time">
      {periods.map(({ deck_id: deck, name, from, until, state, prices }) => (
        <li key={`${deck} ${from}`} className={styles.row}>
          <div className={styles.head}>
            <span className={styles.title}>{name}</span>
            <span className="small fig">
              <Times text={periodText({ from, until, state })} />
            </span>
          </div>
          {prices.length === 0 && <p className="muted">Not sold.</p>}
          {prices.map(({ number_type: type, prefixes, cost, price }) => (
            <div key={type} className={styles.facts}>
              <span>{`${innerWordFor(numberTypeWords, type)}, ${prefixes} prefixes`}</span>
              <span className="fig">{`cost ${rangeText(cost)} a minute`}</span>
              <span className="fig">{`sold for ${rangeText(price)} a minute`}</span>
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}

type Period = Pick<PriceHistoryResponse["periods"][number], "from" | "until" | "state">;

function periodText({ from, until, state }: Period): string {
  if (state === "past" && until !== null) return `${from} to ${until}`;
  return state === "active" ? `since ${from}` : `from ${from}`;
}

function rangeText({ lowest, highest }: { readonly lowest: string; readonly highest: string }): string {
  return lowest === highest ? `$${lowest}` : `$${lowest} to $${highest}`;
}

type Periods = PriceHistoryResponse["periods"];

/** The number types in the chart, with what operators read. */
const TYPES = [
  { type: "mobile", name: "Mobile", price: "--fl-star", cost: "--fl-end-text" },
  { type: "landline", name: "Landline", price: "--fl-call-text", cost: "--fl-info" },
  { type: "fixed_or_mobile", name: "Landline or mobile", price: "--fl-star", cost: "--fl-end-text" },
] as const;

interface HistoryChartProps {
  readonly periods: Periods;
  readonly readAtMs: number;
}

/** The lowest price and cost of each number type, from the first deck to the last. Nothing for a single deck. */
function HistoryChart({ periods, readAtMs }: HistoryChartProps) {
  const chart = useMemo(
    () => ({ title: "Lowest price and cost a minute", unit: "rate" as const, timeText: hourText, ...drawn(periods, readAtMs) }),
    [periods, readAtMs],
  );
  if (periods.length < 2) return null;
  return <Chart {...chart} sentence={rangeSentence(chart)} />;
}

/** @param periods the latest first; the last one that has begun goes on until they were read */
function drawn(periods: Periods, readAtMs: number): { seconds: number[]; series: ChartSeries[] } {
  const times = periods.map((one) => ({ seconds: secondsOf(one.from), prices: one.prices })).toReversed();
  const running = times.findLast(({ seconds }) => seconds * 1_000 < readAtMs);
  const shown = running === undefined ? times : [...times, { ...running, seconds: Math.floor(readAtMs / 1_000) }];
  const points = shown.toSorted((one, other) => one.seconds - other.seconds);
  const line = (name: string, colour: ChartSeries["colour"], type: string, of: "price" | "cost"): ChartSeries => ({
    ...dollarsLine(
      name,
      colour,
      points.map(({ prices }) => prices.find((one) => one.number_type === type)?.[of].lowest ?? null),
    ),
    look: "steps",
  });
  const known = TYPES.filter(({ type }) => periods.some(({ prices }) => prices.some((one) => one.number_type === type)));
  return {
    seconds: points.map(({ seconds }) => seconds),
    series: known.flatMap(({ type, name, price, cost }) => [
      line(`${name}, price`, price, type, "price"),
      line(`${name}, cost`, cost, type, "cost"),
    ]),
  };
}
