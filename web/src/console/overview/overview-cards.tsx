import { countText } from "@farline/contract/operator/words/count-text.ts";
import type { PartUse, TroubleResponse } from "@farline/contract/operations.ts";
import { pageOfTrouble, runbooks, shareText } from "@farline/contract/operator/constants.ts";
import type { DayFigures, OverviewResponse, OverviewTrunk } from "@farline/contract/operator/overview.ts";
import type { QueueCount } from "@farline/contract/operator/queue.ts";
import { isNothing, sumText } from "@farline/contract/operator/words/money-words.ts";
import { partWords, queueKindWords, trunkStateWords } from "@farline/contract/operator/words/words.ts";
import { IconAlertCircle, IconAlertTriangleFilled } from "@tabler/icons-react";
import { Link } from "react-router";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icon.tsx";
import { dateText, figureText, type Unit } from "../chart/chart-texts.ts";
import { useConsoleSession, useRight } from "../console-session.tsx";
import * as styles from "../console.module.css";
import { dueText, isLate } from "../queue/queue-kinds.ts";
import { DataTable, Facts } from "../shell/figures.tsx";
import { clockParts, useZone } from "../shell/texts.ts";
import { Spark, type SparkOf } from "./traffic-charts.tsx";
import { Times } from "../shell/inline-parts.tsx";

const CHECKED = 3;

/** What is wrong, since when and how much of it, and what to do. New troubles are announced. */
export function TroublesCard({
  troubles,
  parts,
}: {
  readonly troubles: readonly TroubleResponse[];
  readonly parts: readonly PartUse[];
}) {
  const working = parts.filter(({ state, worked }) => state === "ok" && worked > 0).map(({ part }) => partWords[part]);
  return (
    <div role="status" className={classNames(styles.troubles, troubles.length > 0 && styles.isWrong)}>
      {troubles.length === 0 && (
        <p>
          <strong>Nothing is wrong.</strong>{" "}
          <span className="muted">
            {working.length >= CHECKED ? `Worked at its last real use: ${working.join(", ")}.` : "No part was used lately."}
          </span>
        </p>
      )}
      <ul aria-label="Warnings">
        {troubles.map((trouble) => (
          <TroubleRow key={trouble.id} trouble={trouble} />
        ))}
      </ul>
    </div>
  );
}

function TroubleRow({ trouble }: { readonly trouble: TroubleResponse }) {
  const { text, detail, since, level, runbook } = trouble;
  const { rights } = useConsoleSession();
  const [{ step }, page] = [runbooks[runbook], pageOfTrouble(trouble)];
  return (
    <li>
      <Icon
        of={level === "page" ? IconAlertTriangleFilled : IconAlertCircle}
        className={level === "page" ? styles.late : styles.warn}
      />
      <p className={styles.troubleText}>
        <strong>{text}</strong>
        {detail !== null && <span>{` ${detail}`}</span>}
        <span className="muted">{` Look first: ${step}.`}</span>
      </p>
      <span className="muted">
        <Times text={`Since ${since}`} />
      </span>
      <span className={styles.troubleKeys}>
        {page !== null && rights.includes(page.right) && (
          <ButtonLink size="sm" to={page.path}>
            {page.title}
          </ButtonLink>
        )}
        <ButtonLink size="sm" pair="action" to={`/operator/runbooks/${runbook}`}>
          What to do
        </ButtonLink>
      </span>
    </li>
  );
}

/** What waits for an operator, by kind. */
export function QueueCard({ counts, at }: { readonly counts: readonly QueueCount[]; readonly at: string }) {
  const waiting = counts.filter((one) => one.waiting > 0);
  return (
    <Card title="Queue">
      {waiting.length === 0 && <p>Nothing is waiting.</p>}
      <ul className={styles.list} aria-label="What waits">
        {waiting.map(({ kind, waiting: count, due_at: due, amount }) => (
          <li key={kind} className={styles.head}>
            <Link className="link" to={`/operator/queue?kind=${kind}`}>
              {`${queueKindWords[kind]}: ${count}`}
            </Link>
            <div className={styles.facts}>
              {!isNothing(amount) && <span className="fig">{sumText(amount)}</span>}
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
export function LiveCard({ live }: { readonly live: NonNullable<OverviewResponse["live"]> }) {
  const { ringing, answered, charge, held, cost } = live;
  return (
    <Card title="Live calls">
      {answered + ringing === 0 ? (
        <p>Nobody is calling right now.</p>
      ) : (
        <DataTable
          label="Live calls now"
          head={["Calls", "Now"]}
          rows={[
            ["Answered", String(answered)],
            ["Ringing", String(ringing)],
            ["Customers pay so far", sumText(charge)],
            ["Until their limits at most", sumText(held)],
            ...(cost === null ? [] : [["Carriers take so far", sumText(cost)]]),
          ]}
        />
      )}
      <Link className="link" to="/operator/live">
        Show the calls
      </Link>
    </Card>
  );
}

const SECONDS_A_MINUTE = 60;
/** A figure further below last week's, in per cent or points, is orange. */
const [FAR_BELOW_PERCENT, FAR_BELOW_POINTS] = [25, 5];

interface Figure {
  /** Absent where the hours are not known. */
  readonly spark?: SparkOf;
  readonly name: string;
  readonly text: string;
  readonly before: string;
  readonly change: string;
  readonly isLow: boolean;
}

/** Five large figures of today, beside the same hours of the same weekday a week ago. */
export function TodayCard({
  today,
  weekAgo,
  at,
}: {
  readonly today: DayFigures;
  readonly weekAgo: DayFigures;
  readonly at: string;
}) {
  const zone = useZone();
  const until = clockParts(Date.parse(at), zone).time.slice(0, 5);
  const figures = figuresOf(today, weekAgo);
  return (
    <section className={styles.wide} aria-labelledby="today">
      <div className={styles.caption}>
        <h2 id="today">{`Today until ${until}`}</h2>
        <span className="muted">{`beside ${dateText(weekAgo.day)} until ${until}`}</span>
      </div>
      <dl className={styles.large}>
        {figures.map(({ name, text, before, change, isLow, spark }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={styles.value}>{text}</dd>
            <dd className={isLow ? styles.warn : undefined}>{change}</dd>
            <dd className="muted">{before}</dd>
            {spark !== undefined && (
              <dd className={isLow ? styles.warn : undefined}>
                <Spark of={spark} zone={zone} />
              </dd>
            )}
          </div>
        ))}
      </dl>
      <p className="muted">{`${countsText(today)}. A week ago: ${countsText(weekAgo)}.`}</p>
    </section>
  );
}

/** "34 calls, 1 top-up, no new customers, 2 refunds of $7.00". */
function countsText({ calls, top_ups: topUps, new_customers: customers, refunds, refunded }: DayFigures): string {
  const count = (many: number, name: string) => (many === 0 ? `no ${name}s` : countText(many, name));
  const returned = `${count(refunds, "refund")}${refunds === 0 ? "" : ` of ${sumText(refunded)}`}`;
  return [count(calls, "call"), count(topUps, "top-up"), count(customers, "new customer"), returned].join(", ");
}

function figuresOf(today: DayFigures, weekAgo: DayFigures): Figure[] {
  const money = (name: string, of: (day: DayFigures) => string | null, more: Pick<Figure, "spark"> = {}): Figure[] => {
    const [now, then] = [of(today), of(weekAgo)];
    return now === null || then === null ? [] : [{ ...figure(name, Number(now), Number(then), "dollars"), ...more }];
  };
  const minutes = ({ seconds }: DayFigures) => Math.round(seconds / SECONDS_A_MINUTE);
  return [
    ...money("Top-ups", (day) => day.topped_up),
    { ...figure("Minutes talked", minutes(today), minutes(weekAgo), "minutes"), spark: "minutes" },
    ...money("Revenue", (day) => day.revenue, { spark: "revenue" }),
    ...money("Margin", (day) => day.margin, { spark: "margin" }),
    { ...answeredOf(today, weekAgo), spark: "answered" },
  ];
}

function figure(name: string, now: number, then: number, unit: Unit): Figure {
  const percent = then === 0 ? null : Math.round((100 * (now - then)) / Math.abs(then));
  return {
    ...{ name, text: figureText(now, unit), before: `a week ago ${figureText(then, unit)}` },
    change: percent === null ? "nothing to compare" : `${percent < 0 ? "−" : "+"}${Math.abs(percent)}%`,
    isLow: percent !== null && percent <= -FAR_BELOW_PERCENT,
  };
}

function answeredOf(today: DayFigures, weekAgo: DayFigures): Figure {
  const share = ({ answered, calls }: DayFigures) => (calls === 0 ? null : (100 * answered) / calls);
  const [now, then] = [share(today), share(weekAgo)];
  const points = now === null || then === null ? null : now - then;
  return {
    ...{ name: "Calls answered", text: shareText(today.answered, today.calls) },
    before: `a week ago ${shareText(weekAgo.answered, weekAgo.calls)}`,
    change: points === null ? "nothing to compare" : `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(1)} pt`,
    isLow: points !== null && points <= -FAR_BELOW_POINTS,
  };
}

/** Whether each trunk works, what it carries, and how many of its attempts of the last hour were answered beside what is usual. */
export function TrunksCard({ trunks, parts }: { readonly trunks: readonly OverviewTrunk[]; readonly parts: readonly PartUse[] }) {
  const mayReadTraffic = useRight("read-costs");
  const used = parts.filter(({ last_at: last }) => last !== null);
  return (
    <Card title="Trunks" className={styles.broad}>
      {trunks.length === 0 ? (
        <p>The voice provider names no trunk, and no call was sent to one in the last hour.</p>
      ) : (
        <DataTable
          label="Trunks, last hour"
          head={["Trunk", "State", "Live", "Attempts", "Answered", "Usual"]}
          rows={trunks.map(({ name, state, live, seizures, answered, usual_seizures: usual, usual_answered: usually }) => [
            name,
            state === null ? "not known" : trunkStateWords[state],
            ...[String(live), String(seizures), shareText(answered, seizures), shareText(usually, usual)],
          ])}
        />
      )}
      {used.length > 0 && (
        <p className="muted">
          {`By their last real use: ${used.map(({ part, state }) => `${partWords[part]}: ${state === "ok" ? "works" : "fails"}`).join(", ")}.`}
        </p>
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
  return deviations === 0 ? "adds up" : `does not add up in ${countText(deviations, "place")}`;
}

function whenText(at: string | null): string {
  return at ?? "never";
}

type Start = NonNullable<OverviewResponse["decks"]>["next"];

function startText(start: Start, preposition: string): string {
  if (start === null) return "none";
  const trunk = start.trunk === null ? "" : ` (costs of ${start.trunk})`;
  return `${start.name}${trunk}, ${preposition} ${start.effective_at}`;
}
