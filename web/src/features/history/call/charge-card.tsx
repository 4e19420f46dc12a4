import type { CallEntry } from "@farline/contract/call-details.ts";
import type { Call } from "@farline/contract/calls.ts";
import { chargeFor } from "@farline/domain/calls/charge.ts";
import { fromDecimalString, toDecimalString } from "@farline/domain/money.ts";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import {
  formatCount,
  formatDate,
  formatDuration,
  formatExact,
  formatRatePerMinute,
  formatTimestamp,
} from "../../../text/format.ts";
import { formatSignedExact } from "../../../text/statement-format.ts";
import { destinationText, messageText } from "../../../text/message-text.ts";
import { useIncrementText } from "../../../text/price-text.ts";
import { Card } from "../../../ui/card.tsx";
import { isOver } from "../history-queries.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "./call-page.module.css";
import * as rowsStyles from "../../../ui/rows.module.css";
import { leftToRight } from "../../../text/i18n.ts";

const SECONDS_PER_MINUTE = 60n;

interface ChargeCardProps {
  readonly call: Call;
  /** Ledger entries and quality of the call; undefined while loading. */
  readonly entries: readonly CallEntry[] | undefined;
  /** The family's owner, if their credit pays. */
  readonly paidBy: string | null;
}

/** Shows how the charge is calculated, with its ledger entries. */
export function ChargeCard({ call, entries, paidBy }: ChargeCardProps) {
  const { t } = useTranslation("history");
  const incrementText = useIncrementText();
  const rows = [
    {
      label: t("charge.prefix"),
      value: t("charge.prefixValue", { prefix: leftToRight(`+${call.rate_prefix}`), description: destinationOf(call) }),
    },
    {
      label: t("charge.rate"),
      value: t("charge.rateValue", { rate: formatRatePerMinute(call.rate_per_minute), date: formatDate(call.deck_effective_at) }),
    },
    { label: t("charge.increment"), value: incrementText(call.first_interval_s, call.next_interval_s) },
    { label: t("charge.talked"), value: formatDuration(call.duration_seconds) },
    {
      label: t("charge.billed"),
      value: secondsText(call.billed_seconds, t),
    },
  ];
  return (
    <Card title={t("charge.title")} className={classNames(styles.tech, styles.charge)}>
      <dl>
        {rows.map((row) => (
          <div key={row.label}>
            <dt>{row.label}</dt>
            <dd className="fig">{row.value}</dd>
          </div>
        ))}
      </dl>
      {call.silence !== null && (
        <p>
          {t(call.silence.is_free ? "charge.silenceFree" : "charge.silenceCharged", {
            time: secondsText(call.silence.seconds, t),
          })}
        </p>
      )}
      {paidBy !== null && <p>{t("charge.paidBy", { owner: paidBy })}</p>}
      <p className={classNames(styles.sum, "fig")}>{sum(call, t)}</p>
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

/** The formula with its numbers, calculated here by the service's charging rules. */
function sum(call: Call, t: Translate): string {
  if (!isOver(call)) return t("charge.open");
  if (call.billed_seconds === 0) return t(call.answered_at === null ? "charge.free" : "charge.nothingHeard");
  const rateMicros = fromDecimalString(call.rate_per_minute);
  const charge = chargeFor(call.duration_seconds, {
    ratePerMinuteMicros: rateMicros,
    firstIntervalSeconds: call.first_interval_s,
    nextIntervalSeconds: call.next_interval_s,
  });
  const exact = (rateMicros * BigInt(call.billed_seconds)) % SECONDS_PER_MINUTE === 0n;
  const formula = t(exact ? "charge.formula" : "charge.formulaRounded", {
    seconds: formatCount(call.billed_seconds),
    rate: formatExact(call.rate_per_minute),
    charge: formatExact(toDecimalString(charge)),
  });
  return charge === fromDecimalString(call.cost) ? formula : `${formula}. ${t("charge.less", { cost: formatExact(call.cost) })}`;
}
