import { shareText } from "@farline/contract/operator/constants.ts";
import type { DayFigures, OverviewResponse, OverviewTrunk } from "@farline/contract/operator/overview.ts";
import { Link } from "react-router";
import { Card } from "../../ui/card.tsx";
import { useRight } from "../console-session.tsx";
import { Facts } from "../lookup/facts.tsx";
import { DataTable } from "../shell/data-table.tsx";
import { timeText } from "../shell/time-text.ts";

const SECONDS_A_MINUTE = 60;

/** Today so far beside the same part of the same weekday a week ago. */
export function TodayCard({ today, weekAgo }: { readonly today: DayFigures; readonly weekAgo: DayFigures }) {
  const row = (name: string, figure: (day: DayFigures) => string) => [name, figure(today), figure(weekAgo)];
  return (
    <Card title="Today">
      <div className="stack">
        <DataTable
          label="Today and a week ago"
          head={["UTC", "Today", weekAgo.day]}
          rows={[
            row("Top-ups", ({ top_ups: count, topped_up: amount }) => `${count}, $${amount}`),
            row("Calls", ({ calls }) => String(calls)),
            row("Minutes", ({ seconds }) => (seconds / SECONDS_A_MINUTE).toFixed(1)),
            row("Revenue", ({ revenue }) => `$${revenue}`),
            ...(today.margin === null ? [] : [row("Margin", ({ margin }) => `$${margin}`)]),
            row("New customers", ({ new_customers: count }) => String(count)),
            row("Refunds", ({ refunds: count, refunded: amount }) => `${count}, $${amount}`),
          ]}
        />
        <p className="small muted">{`${weekAgo.day} is added up to the same time of the day.`}</p>
      </div>
    </Card>
  );
}

const STATES: Readonly<Record<NonNullable<OverviewTrunk["state"]>, string>> = {
  ok: "works",
  down: "does not answer",
  refused: "refuses our account",
  failing: "fails calls",
};

/** Whether each trunk works, and how many of its attempts of the last hour were answered. */
export function TrunksCard({ trunks }: { readonly trunks: readonly OverviewTrunk[] }) {
  const mayReadTraffic = useRight("read-costs");
  return (
    <Card title="Trunks">
      {trunks.length === 0 ? (
        <p>The voice provider names no trunk, and no call was sent to one in the last hour.</p>
      ) : (
        <DataTable
          label="Trunks, last hour"
          head={["Trunk", "State", "Attempts", "ASR"]}
          rows={trunks.map(({ name, state, seizures, answered }) => [
            name,
            state === null ? "not known" : STATES[state],
            String(seizures),
            shareText(answered, seizures),
          ])}
        />
      )}
      {mayReadTraffic && (
        <Link className="link" to="/operator/traffic">
          Show the traffic
        </Link>
      )}
    </Card>
  );
}

/** Whether the ledger adds up, and which prices are and will be in force. */
export function BooksCard({ ledger, decks }: Pick<OverviewResponse, "ledger" | "decks">) {
  return (
    <Card title="Ledger and prices">
      <Facts
        of={{
          ...(ledger === null ? {} : { Ledger: ledgerText(ledger), "Last added up": whenText(ledger.good_at) }),
          ...(decks === null
            ? {}
            : { "Deck in force": startText(decks.in_force, "since"), "Next deck": startText(decks.next, "from") }),
        }}
      />
    </Card>
  );
}

function ledgerText({ checked_at: at, deviations }: NonNullable<OverviewResponse["ledger"]>): string {
  if (at === null) return "not checked yet";
  return deviations === 0 ? "adds up" : `does not add up in ${deviations} places`;
}

function whenText(at: string | null): string {
  return at === null ? "never" : timeText(at);
}

type Start = NonNullable<OverviewResponse["decks"]>["next"];

function startText(start: Start, preposition: string): string {
  if (start === null) return "none";
  const trunk = start.trunk === null ? "" : ` (costs of ${start.trunk})`;
  return `${start.name}${trunk}, ${preposition} ${timeText(start.effective_at)}`;
}
