import { figureDefinitions, NO_TRUNK_FIGURES, shareText } from "@farline/contract/operator/constants.ts";
import type { QualityRow, TrafficResponse, TurnoverRow } from "@farline/contract/operator/traffic.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { momentOnClock } from "@farline/domain/wall-clock.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { serviceNow } from "../../time/clock.ts";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Chart } from "../chart/chart.tsx";
import {
  type BarMark,
  dateText,
  dayText,
  dollarsLine,
  figureText,
  hourText,
  rangeSentence,
  secondsOf,
} from "../chart/chart-texts.ts";
import { consoleRequest } from "../console-request.ts";
import { SelectField } from "../shell/fields.tsx";
import { Loaded, type SortedColumn, SortedTable } from "../shell/figures.tsx";
import { clockParts, useZone } from "../shell/texts.ts";
import { PageTitle } from "../shell/top-bar.tsx";
import { Times } from "../shell/inline-parts.tsx";

const SPANS = ["3", "7", "30", "90"] as const;
const DEFAULT_SPAN = "30";
/** Of so few days, the hours are shown. */
const BY_HOUR = "3";

/** What calls earned and cost by hour or day, country and trunk, and how the trunks served them. The address keeps the span. */
export function TrafficPage() {
  const [address, setAddress] = useSearchParams();
  const zone = useZone();
  const span = SPANS.find((one) => one === address.get("days")) ?? DEFAULT_SPAN;
  const today = Date.parse(clockParts(serviceNow(), zone).date);
  const day = (offset: number): string => new Date(today + offset * DAY_MS).toISOString().slice(0, 10);
  const query = { from: day(1 - Number(span)), to: day(1), zone };
  const read = useQuery({
    queryKey: ["traffic", query],
    queryFn: () => consoleRequest("GET /api/operator/traffic", { query }),
  });
  return (
    <div className="stack">
      <PageTitle title="Traffic" />
      <div className="row">
        <SelectField
          label={`Days (${zone})`}
          value={span}
          options={SPANS.map((one) => [one, one === BY_HOUR ? `Last ${one} days, by the hour` : `Last ${one} days`])}
          onChosen={(days) => setAddress({ days })}
        />
      </div>
      <Loaded of={read} failure="The figures could not be loaded">
        {(traffic) => <Figures traffic={traffic} query={query} isByHour={span === BY_HOUR} />}
      </Loaded>
    </div>
  );
}

interface FiguresProps {
  readonly traffic: TrafficResponse;
  readonly query: Days;
  readonly isByHour: boolean;
}

interface Days {
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
  readonly zone: string;
}

function Figures({ traffic, query, isByHour }: FiguresProps) {
  const { total, hours, days, countries, trunks, quality, country_quality: byCountry, read_at: at } = traffic;
  if (days.length === 0) return <EmptyState title="No calls ended in this time" />;
  return (
    <>
      <MoneyChart rows={isByHour ? hours : days} query={query} isByHour={isByHour} readAt={at} />
      <Card title="Trunks">
        <div className="stack">
          <SortedTable
            label="By trunk"
            columns={columnsOf("Trunk", (key) => (key === "" ? "not named" : key))}
            rows={joined(trunks, quality)}
          />
          {quality.length === 0 && <p>{NO_TRUNK_FIGURES}</p>}
          <Definitions of={["asr", "ner", "pdd", "mos"]} />
        </div>
      </Card>
      <Card title="Countries">
        <SortedTable
          label="By country"
          columns={columnsOf("Country", (key) => countryByCode(key)?.name ?? key)}
          rows={joined(countries, byCountry)}
        />
      </Card>
      <Card title="Days">
        <div className="stack">
          <SortedTable
            label="By day"
            columns={turnoverColumns("Day", (key) => key)}
            rows={days.toReversed()}
            total={{ ...total, key: "Total" }}
          />
          <Definitions of={["calls", "minutes", "acd", "revenue", "cost", "margin"]} />
          <p className="small muted">
            <Times text={`Read at ${at}.`} />
          </p>
        </div>
      </Card>
    </>
  );
}

interface JoinedRow extends TurnoverRow {
  /** Null without an attempt. */
  readonly quality: QualityRow | null;
}

const NO_CALLS = { calls: 0, answered: 0, seconds: 0, revenue: "0.00", cost: "0.00", estimated: "0.00", margin: "0.00" } as const;

/** Calls count when they ended and attempts when they were made, so either may be there alone. */
function joined(turnover: readonly TurnoverRow[], quality: readonly QualityRow[]): JoinedRow[] {
  const keys = new Set([...turnover, ...quality].map(({ key }) => key));
  return [...keys].map((key) => ({
    ...(turnover.find((one) => one.key === key) ?? { ...NO_CALLS, key }),
    quality: quality.find((one) => one.key === key) ?? null,
  }));
}

function turnoverColumns(name: string, nameOf: (key: string) => string): SortedColumn<TurnoverRow>[] {
  const minutes = ({ seconds }: TurnoverRow) => seconds / 60;
  const money = (title: string, of: (row: TurnoverRow) => string): SortedColumn<TurnoverRow> => ({
    name: title,
    value: (row) => Number(of(row)),
    text: (row) => figureText(Number(of(row)), "dollars"),
  });
  return [
    { name, value: ({ key }) => nameOf(key), text: ({ key }) => nameOf(key) },
    { name: "Calls", value: ({ calls }) => calls, text: ({ calls }) => figureText(calls, "calls") },
    { name: "Answered", value: (row) => share(row.answered, row.calls), text: (row) => shareText(row.answered, row.calls) },
    { name: "Minutes", value: minutes, text: (row) => minutes(row).toFixed(1) },
    {
      name: "ACD, min",
      value: (row) => (row.answered === 0 ? null : minutes(row) / row.answered),
      text: (row) => (row.answered === 0 ? "–" : (minutes(row) / row.answered).toFixed(1)),
    },
    ...[money("Revenue", (row) => row.revenue), money("Cost", (row) => row.cost)],
    {
      name: "Estimated",
      value: (row) => share(Number(row.estimated), Number(row.cost)),
      text: (row) => shareText(Number(row.estimated), Number(row.cost)),
    },
    money("Margin", (row) => row.margin),
  ];
}

type QualityColumn = readonly [
  name: string,
  value: (one: QualityRow) => number | null,
  text: (one: QualityRow) => string,
  ofTrunks?: true,
];

/** How the attempts were served; some figures are known of trunks alone. */
const QUALITY_COLUMNS: readonly QualityColumn[] = [
  ["Attempts", (one) => one.seizures, (one) => figureText(one.seizures, "calls")],
  ["ASR", (one) => share(one.answered, one.seizures), (one) => shareText(one.answered, one.seizures)],
  ["NER", (one) => share(one.effective, one.seizures), (one) => shareText(one.effective, one.seizures)],
  ["PDD mean", (one) => one.delay_mean_seconds, (one) => secondsText(one.delay_mean_seconds)],
  ["PDD median", (one) => one.delay_median_seconds, (one) => secondsText(one.delay_median_seconds), true],
  ["PDD 95 %", (one) => one.delay_p95_seconds, (one) => secondsText(one.delay_p95_seconds), true],
  ["MOS", (one) => one.mos, (one) => one.mos?.toFixed(2) ?? "–"],
];

function columnsOf(name: "Trunk" | "Country", nameOf: (key: string) => string): SortedColumn<JoinedRow>[] {
  const shown = QUALITY_COLUMNS.filter(([, , , ofTrunks]) => ofTrunks === undefined || name === "Trunk");
  return [
    ...turnoverColumns(name, nameOf),
    ...shown.map(([title, value, text]) => ({
      name: title,
      value: ({ quality }: JoinedRow) => (quality === null ? null : value(quality)),
      text: ({ quality }: JoinedRow) => (quality === null ? "–" : text(quality)),
    })),
  ];
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

interface MoneyChartProps {
  readonly rows: readonly TurnoverRow[];
  readonly query: Days;
  readonly isByHour: boolean;
  readonly readAt: string;
}

function MoneyChart({ rows, query, isByHour, readAt }: MoneyChartProps) {
  const { from, to, zone } = query;
  const chart = useMemo(() => {
    const keys = isByHour ? hoursOf({ from, to, zone }, readAt) : daysOf({ from, to });
    const found = new Map(rows.map((row) => [row.key, row]));
    const amounts = (of: "revenue" | "cost") => keys.map((key) => found.get(key)?.[of] ?? "0");
    const midnight = (date: string) => momentOnClock({ date, time: "00:00", timeZone: zone }).getTime() / 1_000;
    const empty = isByHour ? [] : keys.slice(0, -1).filter((key) => !found.has(key));
    const marks = keys.map((key, index): BarMark | null =>
      index === keys.length - 1 ? "unfinished" : empty.includes(key) ? "empty" : null,
    );
    return {
      title: isByHour ? "Revenue and cost by hour" : "Revenue and cost by day",
      seconds: keys.map((key) => (isByHour ? secondsOf(key) : midnight(key))),
      series: [
        { ...dollarsLine("Revenue", "--fl-call-text", amounts("revenue")), look: "bars" as const, marks },
        dollarsLine("Cost", "--fl-end-text", amounts("cost")),
      ],
      unit: "dollars" as const,
      timeText: isByHour ? hourText : dayText,
      remark: empty.length === 0 ? null : emptyText(empty),
    };
  }, [rows, from, to, zone, isByHour, readAt]);
  const last = isByHour ? "The last hour is not over." : "The last day is not over.";
  return (
    <Card>
      <Chart {...chart} sentence={`${rangeSentence(chart)} ${chart.remark ?? ""} ${last}`} />
      <p className="small muted">{last}</p>
    </Card>
  );
}

const MAX_NAMED = 6;

function emptyText(days: readonly string[]): string {
  const named = days.slice(0, MAX_NAMED).map(dateText).join(", ");
  return days.length > MAX_NAMED ? `No calls on ${days.length} days: ${named} …` : `No calls: ${named}.`;
}

/** Every day of a span, those without calls too. */
function daysOf({ from, to }: Pick<Days, "from" | "to">): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
  return Array.from({ length: count }, (_, index) => new Date(Date.parse(from) + index * DAY_MS).toISOString().slice(0, 10));
}

const HOUR_MS = DAY_MS / 24;

/** Every hour from midnight of the first day until the reading: 23 or 25 on a day on which the clock changes. */
function hoursOf({ from, zone }: Days, readAt: string): string[] {
  const start = Math.floor(momentOnClock({ date: from, time: "00:00", timeZone: zone }).getTime() / HOUR_MS) * HOUR_MS;
  const count = Math.max(1, Math.ceil((Date.parse(readAt) - start) / HOUR_MS));
  return Array.from({ length: count }, (_, index) => new Date(start + index * HOUR_MS).toISOString());
}

function secondsText(seconds: number | null): string {
  return seconds === null ? "–" : `${seconds.toFixed(1)} s`;
}

/** What the figures above mean. */
function Definitions({ of }: { readonly of: readonly (keyof typeof figureDefinitions)[] }) {
  return (
    <ul className="small muted">
      {of.map((name) => (
        <li key={name}>{figureDefinitions[name]}</li>
      ))}
    </ul>
  );
}
