import type { Call } from "@farline/contract/calls.ts";
import { chargeFor } from "@farline/domain/charge.ts";
import { fromDecimalString, toDecimalString } from "@farline/domain/money.ts";
import { useTranslation } from "react-i18next";
import { formatCount, formatDate, formatDuration, formatExact, formatRatePerMinute } from "../../lib/format.ts";
import { leftToRight } from "../../lib/left-to-right.ts";
import { Card } from "../../ui/card.tsx";
import { isOver } from "./history-queries.ts";

const SECONDS_PER_MINUTE = 60n;

/** How the charge came about, so that anybody can work it out again. */
export function ChargeCard({ call }: { readonly call: Call }) {
  const { t } = useTranslation("history");
  const rows = [
    {
      label: t("charge.prefix"),
      value: t("charge.prefixValue", { prefix: leftToRight(`+${call.rate_prefix}`), description: call.rate_description }),
    },
    {
      label: t("charge.rate"),
      value: t("charge.rateValue", { rate: formatRatePerMinute(call.rate_per_minute), date: formatDate(call.deck_effective_at) }),
    },
    { label: t("charge.increment"), value: increment(call, t) },
    { label: t("charge.talked"), value: formatDuration(call.duration_seconds) },
    {
      label: t("charge.billed"),
      value: t("charge.seconds", { count: call.billed_seconds, formatted: formatCount(call.billed_seconds) }),
    },
  ];
  return (
    <Card title={t("charge.title")} className="tech charge">
      <dl>
        {rows.map((row) => (
          <div key={row.label}>
            <dt>{row.label}</dt>
            <dd className="fig">{row.value}</dd>
          </div>
        ))}
      </dl>
      <p className="charge__sum fig">{sum(call, t)}</p>
    </Card>
  );
}

type Translate = ReturnType<typeof useTranslation<"history">>["t"];

function increment(call: Call, t: Translate): string {
  const { first_interval_s: first, next_interval_s: next } = call;
  if (first === 1 && next === 1) return t("charge.perSecond");
  return first === next ? t("charge.sameBlocks", { first }) : t("charge.blocks", { first, next });
}

/** The formula with its numbers, worked out here by the rules the service charges by. */
function sum(call: Call, t: Translate): string {
  if (!isOver(call)) return t("charge.open");
  if (call.billed_seconds === 0) return t("charge.free");
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
