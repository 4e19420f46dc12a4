import type { TroubleResponse } from "@farline/contract/operations.ts";
import { runbooks, shareText } from "@farline/contract/operator/constants.ts";
import type { DayFigures, OverviewResponse, OverviewTrunk } from "@farline/contract/operator/overview.ts";
import type { QueueCount } from "@farline/contract/operator/queue.ts";
import { Link } from "react-router";
import { Card } from "../../ui/card.tsx";
import { useConsoleSession, useRight } from "../console-session.tsx";
import * as styles from "../console.module.css";
import { dueText, isLate, queueKindNames } from "../queue/queue-kinds.ts";
import { DataTable, Facts } from "../shell/figures.tsx";
import { timeText } from "../shell/texts.ts";

/** What is wrong, what to look at first, and where. */
export function WarningsCard({ warnings }: { readonly warnings: readonly TroubleResponse[] }) {
  const { rights } = useConsoleSession();
  return (
    <Card title="Warnings" className={styles.wide}>
      {warnings.length === 0 && <p>Nothing is wrong.</p>}
      <ul className={styles.list} aria-label="Warnings">
        {warnings.map(({ id, text, detail, since, runbook }) => {
          const { step, page } = runbooks[runbook];
          return (
            <li key={id} className={styles.warning}>
              <span className={styles.late}>{text}</span>
              {detail !== null && <span>{detail}</span>}
              <div className={styles.facts}>
                <span>{`Look first: ${step}`}</span>
                {page !== null && rights.includes(page.right) && (
                  <Link className="link" to={page.path}>
                    {page.title}
                  </Link>
                )}
                <span>{`Since ${timeText(since)}`}</span>
                <Link className="link" to={`/operator/runbooks/${runbook}`}>
                  What to do
                </Link>
              </div>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

/** What waits for an operator, by kind. */
export function QueueCard({ counts, at }: { readonly counts: readonly QueueCount[]; readonly at: string }) {
  const waiting = counts.filter((one) => one.waiting > 0);
  return (
    <Card title="Queue">
      {waiting.length === 0 && <p>Nothing waits.</p>}
      <ul className={styles.list} aria-label="What waits">
        {waiting.map(({ kind, waiting: count, due_at: due, amount }) => (
          <li key={kind} className={styles.head}>
            <Link className="link" to={`/operator/queue?kind=${kind}`}>
              {`${queueKindNames[kind]}: ${count}`}
            </Link>
            <div className={styles.facts}>
              {amount !== "0.00" && <span className="fig">{`$${amount}`}</span>}
              {due !== null && (
                <span className={isLate(due, new Date(at)) ? styles.late : undefined}>{dueText(due, new Date(at))}</span>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Calls of this moment, and the money that they move. */
export function LiveCard({ live }: { readonly live: OverviewResponse["live"] }) {
  const { ringing, answered, charge, held, cost } = live;
  return (
    <Card title="Live calls">
      <DataTable
        label="Live calls now"
        head={["Calls", "Now"]}
        rows={[
          ["Answered", String(answered)],
          ["Ringing", String(ringing)],
          ["Customers pay so far", `$${charge}`],
          ["Until their limits at most", `$${held}`],
          ...(cost === null ? [] : [["Carriers take so far", `$${cost}`]]),
        ]}
      />
      <Link className="link" to="/operator/live">
        Show the calls
      </Link>
    </Card>
  );
}

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

/** Whether the ledger adds up, and which prices are and will be active. */
export function BooksCard({ ledger, decks }: Pick<OverviewResponse, "ledger" | "decks">) {
  return (
    <Card title="Ledger and prices">
      <Facts
        of={{
          ...(ledger === null ? {} : { Ledger: ledgerText(ledger), "Last added up": whenText(ledger.good_at) }),
          ...(decks === null
            ? {}
            : { "Active deck": startText(decks.active, "since"), "Next deck": startText(decks.next, "from") }),
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
