import type { CallEntry } from "@farline/contract/call-details.ts";
import type { Call } from "@farline/contract/calls.ts";
import { chargeFor, isFreeCall } from "@farline/domain/calls/charge.ts";
import { fromDecimalString, toDecimalString } from "@farline/domain/money.ts";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { callCost } from "../../../text/call-outcome.ts";
import {
  formatCost,
  formatCount,
  formatDate,
  formatExact,
  formatMoney,
  formatRatePerMinute,
  formatTimestamp,
} from "../../../text/format.ts";
import { formatInstant, formatSeconds, formatSignedExact } from "../../../text/statement-format.ts";
import { destinationText, messageText } from "../../../text/message-text.ts";
import { useIncrementText } from "../../../text/price-text.ts";
import { Card } from "../../../ui/card.tsx";
import { isOver } from "../history-queries.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "./call-page.module.css";
import * as rowsStyles from "../../../ui/rows.module.css";
import { leftToRight } from "../../../text/i18n.ts";

const SECONDS_PER_MINUTE = 60n;
const SECOND_MS = 1000;

interface ChargeCardProps {
  readonly call: Call;
  /** Ledger entries and quality of the call; undefined while loading. */
  readonly entries: readonly CallEntry[] | undefined;
  /** The family's owner, if their credit pays. */
  readonly paidBy: string | null;
}

/** The bill as a sum that adds up: from the two instants to the amount, each rounding in a line of its own. */
export function ChargeCard({ call, entries, paidBy }: ChargeCardProps) {
  const { t } = useTranslation("history");
  const incrementText = useIncrementText();
  const lines = billLines(call, t);
  return (
    <Card title={t("charge.title")} className={classNames(styles.tech, styles.charge)}>
      {lines.length > 0 && (
        <dl className={styles.bill}>
          {lines.map(({ label, value, total }) => (
            <div key={label} className={total === true ? styles.paid : undefined}>
              <dt>{label}</dt>
              <dd className="fig">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {lines.length === 0 && <p className={styles.sum}>{withoutCharge(call, t)}</p>}
      {call.silence !== null && (
        <p>
          {t(call.silence.is_free ? "charge.silenceFree" : "charge.silenceCharged", {
            time: secondsText(call.silence.seconds, t),
          })}
        </p>
      )}
      {lines.length > 0 && (
        <p className="muted small">
          {t(isFreeCall(call, call.cost) ? "charge.freeCredit" : "charge.exactly", { amount: formatMoney(call.cost, 6) })}
        </p>
      )}
      <p className="muted small">
        {t("charge.price", {
          prefix: leftToRight(`+${call.rate_prefix}`),
          description: destinationOf(call),
          rate: formatRatePerMinute(call.rate_per_minute),
          increment: incrementText(call.first_interval_s, call.next_interval_s),
          date: formatDate(call.deck_effective_at),
        })}
      </p>
      {paidBy !== null && <p className="muted small">{t("charge.paidBy", { owner: paidBy })}</p>}
      {entries !== undefined && entries.length > 0 && <Entries entries={entries} />}
    </Card>
  );
}

function Entries({ entries }: { readonly entries: readonly CallEntry[] }) {
  const { t } = useTranslation("history");
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 className={styles.heading} id={id}>
        {t("entries.title")}
      </h3>
      <ul className={rowsStyles.rows}>
        {entries.map((entry) => (
          <li className={classNames(rowsStyles.crow, styles.entry)} key={entry.id}>
            <span>
              <span className={classNames(rowsStyles.name, styles.entryName)}>
                {messageText({ message: entry.description, reason: `entry_${entry.kind}` })}
              </span>
              <br />
              <time className={rowsStyles.meta} dateTime={entry.created_at}>
                {formatTimestamp(entry.created_at)}
              </time>
              <br />
              <span className={rowsStyles.meta}>{t("entries.balance", { balance: formatExact(entry.balance_after) })}</span>
            </span>
            <span className={rowsStyles.sum}>{formatSignedExact(entry.amount)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function destinationOf(call: Call): string {
  return destinationText({
    description: call.rate_description,
    number_type: call.number_type,
    country_code: call.destination_country,
    country_name: call.destination_country_name,
  });
}

type Translate = ReturnType<typeof useTranslation<"history">>["t"];

function secondsText(count: number, t: Translate): string {
  return t("charge.seconds", { count, formatted: formatCount(count) });
}

/** Why there is no sum: the call still runs, or nothing of it is charged. */
function withoutCharge(call: Call, t: Translate): string {
  if (!isOver(call)) return t("charge.open");
  return t(call.answered_at === null ? "charge.free" : "charge.nothingHeard");
}

interface BillLine {
  readonly label: string;
  readonly value: string;
  readonly total?: true;
}

/** The lines of the bill, calculated here by the service's charging rules; none without a charged second. */
function billLines(call: Call, t: Translate): readonly BillLine[] {
  const { answered_at: answered, ended_at: ended, duration_seconds: talked, billed_seconds: billed, silence } = call;
  if (!isOver(call) || answered === null || ended === null || billed === 0) return [];
  const rateMicros = fromDecimalString(call.rate_per_minute);
  const charge = chargeFor(talked, {
    ratePerMinuteMicros: rateMicros,
    firstIntervalSeconds: call.first_interval_s,
    nextIntervalSeconds: call.next_interval_s,
  });
  const isExact = (rateMicros * BigInt(billed)) % SECONDS_PER_MINUTE === 0n;
  const formula = t(isExact ? "charge.formula" : "charge.formulaRounded", {
    seconds: formatCount(billed),
    rate: formatExact(call.rate_per_minute),
  });
  const elapsedMs = Date.parse(ended) - Date.parse(answered);
  const isRounded = elapsedMs % SECOND_MS !== 0;
  const lines: BillLine[] = [
    { label: t("timeline.answered"), value: formatInstant(answered) },
    { label: t("timeline.ended"), value: formatInstant(ended) },
    { label: t("charge.elapsed"), value: t("charge.exactSeconds", { seconds: formatSeconds(elapsedMs) }) },
    { label: t(isRounded ? "charge.talkedRounded" : "charge.talked"), value: secondsText(talked, t) },
    ...(billed === talked ? [] : [{ label: t("charge.billed"), value: secondsText(billed, t) }]),
    { label: formula, value: formatMoney(toDecimalString(charge), 6) },
  ];
  // Talk time leaves out silence that is free.
  if (silence?.is_free === true)
    lines.splice(3, 0, {
      label: t("charge.silence"),
      value: t("charge.minusSeconds", { seconds: formatCount(silence.seconds) }),
    });
  if (charge !== fromDecimalString(call.cost))
    lines.push({ label: t("charge.less"), value: formatSignedExact(toDecimalString(fromDecimalString(call.cost) - charge)) });
  return [...lines, { label: t("charge.paid"), value: callCost(call) ?? formatCost(call.cost), total: true }];
}
