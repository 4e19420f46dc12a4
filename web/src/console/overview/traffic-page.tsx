import { figureDefinitions, NO_TRUNK_FIGURES, shareText } from "@farline/contract/operator/constants.ts";
import type { TrafficResponse, TurnoverRow } from "@farline/contract/operator/traffic.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { serviceNow } from "../../time/clock.ts";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Chart, dayText, dollarsLine, dollarsText, secondsOf } from "../chart/chart.tsx";
import { consoleRequest } from "../console-request.ts";
import { SelectField } from "../shell/fields.tsx";
import { DataTable, Loaded } from "../shell/figures.tsx";
import { PageTitle } from "../shell/top-bar.tsx";
import { timeText } from "../shell/texts.ts";

const SPANS = ["7", "30", "90"] as const;
const DEFAULT_SPAN = "30";
const HEAD = ["Calls", "Answered", "Minutes", "ACD", "Revenue", "Cost", "Estimated", "Margin"];

/** What calls earned and cost by day, country and trunk, and how the trunks served them. The address keeps the span. */
export function TrafficPage() {
  const [address, setAddress] = useSearchParams();
  const [now] = useState(serviceNow);
  const span = SPANS.find((one) => one === address.get("days")) ?? DEFAULT_SPAN;
  const day = (offset: number): string => new Date(now + offset * DAY_MS).toISOString().slice(0, 10);
  const query = { from: day(1 - Number(span)), to: day(1) };
  const read = useQuery({
    queryKey: ["traffic", query],
    queryFn: () => consoleRequest("GET /api/operator/traffic", { query }),
  });
  return (
    <div className="stack">
      <div className="spread">
        <PageTitle title="Traffic" />
        <SelectField
          label="Days (UTC)"
          value={span}
          options={SPANS.map((one) => [one, `Last ${one} days`])}
          onChosen={(days) => setAddress({ days })}
        />
      </div>
      <Loaded of={read} failure="The figures could not be loaded">
        {(traffic) => <Figures traffic={traffic} />}
      </Loaded>
    </div>
  );
}

function Figures({ traffic: { total, days, countries, trunks, quality, read_at: at } }: { readonly traffic: TrafficResponse }) {
  if (days.length === 0) return <EmptyState title="No calls ended in this time" />;
  return (
    <>
      <MoneyChart days={days} />
      <Card title="Trunks">
        <div className="stack">
          {quality.length === 0 ? <p>{NO_TRUNK_FIGURES}</p> : <QualityTable quality={quality} />}
          <DataTable label="Turnover by trunk" head={["Trunk", ...HEAD]} rows={trunks.map(cellsOf)} />
          <Definitions of={["asr", "ner", "pdd", "mos"]} />
        </div>
      </Card>
      <Card title="Countries">
        <DataTable label="Turnover by country" head={["Country", ...HEAD]} rows={countries.map(cellsOf)} />
      </Card>
      <Card title="Days">
        <div className="stack">
          <DataTable
            label="Turnover by day"
            head={["Day", ...HEAD]}
            rows={[...days.toReversed().map(cellsOf), cellsOf({ ...total, key: "Total" })]}
          />
          <Definitions of={["calls", "minutes", "acd", "revenue", "cost", "margin"]} />
          <p className="small muted">{`Read at ${timeText(at)}.`}</p>
        </div>
      </Card>
    </>
  );
}

function QualityTable({ quality }: Pick<TrafficResponse, "quality">) {
  return (
    <DataTable
      label="Quality by trunk"
      head={["Trunk", "Attempts", "ASR", "NER", "PDD median", "PDD 95 %", "MOS"]}
      rows={quality.map((one) => [
        one.trunk,
        String(one.seizures),
        ...[shareText(one.answered, one.seizures), shareText(one.effective, one.seizures)],
        ...[secondsText(one.delay_median_seconds), secondsText(one.delay_p95_seconds), one.mos?.toFixed(2) ?? "–"],
      ])}
    />
  );
}

function MoneyChart({ days }: { readonly days: readonly TurnoverRow[] }) {
  const { seconds, series } = useMemo(() => {
    const [revenue, cost] = [days.map((one) => one.revenue), days.map((one) => one.cost)];
    return {
      seconds: days.map(({ key }) => secondsOf(key)),
      series: [dollarsLine("Revenue", "--fl-call-text", revenue), dollarsLine("Cost", "--fl-end-text", cost)],
    };
  }, [days]);
  return (
    <Card>
      <Chart
        title="Revenue and cost by day, US dollars"
        seconds={seconds}
        series={series}
        format={dollarsText}
        timeText={dayText}
      />
    </Card>
  );
}

function cellsOf({ key, calls, answered, seconds, revenue, cost, estimated, margin }: TurnoverRow): string[] {
  const minutes = seconds / 60;
  return [
    key === "" ? "not named" : key,
    ...[String(calls), shareText(answered, calls), minutes.toFixed(1), answered === 0 ? "–" : (minutes / answered).toFixed(1)],
    ...[revenue, cost, shareText(Number(estimated), Number(cost)), margin],
  ];
}

function secondsText(seconds: number | null): string {
  return seconds === null ? "–" : `${seconds.toFixed(1)} s`;
}

/** What the figures above mean. */
export function Definitions({ of }: { readonly of: readonly (keyof typeof figureDefinitions)[] }) {
  return (
    <ul className="small muted">
      {of.map((name) => (
        <li key={name}>{figureDefinitions[name]}</li>
      ))}
    </ul>
  );
}
