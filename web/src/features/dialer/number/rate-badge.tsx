import type { CallQuoteResponse } from "@farline/contract/calls.ts";
import { longestCallSeconds } from "@farline/domain/calls/charge.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatCount, formatDollarBuys, formatMoney, formatRatePerMinute } from "../../../text/format.ts";
import { i18n } from "../../../text/i18n.ts";
import { refusalText } from "../../../service/http.ts";
import { balanceQuery, configQuery, userQuery } from "../../../service/queries.ts";
import { callQuoteQuery } from "../dialer-queries.ts";
import { useIncrementText } from "../../../text/use-increment-text.ts";
import { Skeleton } from "../../../ui/skeleton.tsx";
import type { NumberEntry } from "./use-number-entry.ts";
import { NEVER_DIALLED } from "./use-number-problem.ts";
import { type ShownRate, useQuote } from "./use-quote.ts";
import "../../../ui/rate-badge.css";

/** Shown as "a long time" above this. No call lasts as long. */
const LONG_TALK_SECONDS = 100 * 3600;

/** The price of the number, the minutes per dollar and how long the balance lasts; or why it cannot be called. */
export function RateBadge({ entry }: { readonly entry: NumberEntry }) {
  const { t } = useTranslation("dialer");
  const { rate, loading } = useQuote(entry);
  const e164 = rate?.exact === true && entry.number?.ok === true ? entry.number.e164 : null;
  const { data: quote } = useQuery({ ...callQuoteQuery(e164 ?? ""), enabled: e164 !== null });
  if (entry.number?.ok === false && NEVER_DIALLED.has(entry.number.problem)) return null;
  if (loading) return <RateSkeleton />;
  if (rate === null) return <p className="rate muted">{t("rate.none")}</p>;
  const refusal = refusalOf(rate, quote);
  if (refusal !== null) return <p className="rate muted">{refusal}</p>;
  const buys = formatDollarBuys(rate.ratePerMinute);
  return (
    <div className="ratebox" role="group" aria-label={t("rate.label")}>
      <p className="rate">
        <span className="rate__price">
          <span>{formatRatePerMinute(rate.ratePerMinute)}</span> <span className="rate__what">{rate.description}</span>
        </span>
        {buys !== null && <span className="rate__dollar">{buys}</span>}
      </p>
      <p className="rate rate--more">
        <TalkTime rate={rate} longest={quote?.max_seconds ?? rate.longestCallSeconds ?? undefined} />
        {rate.exact && <Increment rate={rate} />}
      </p>
    </div>
  );
}

/** Why this number is refused; null if it is not, or only for lack of credit. */
function refusalOf(rate: ShownRate, quote: CallQuoteResponse | undefined): string | null {
  const refusal = quote?.refusal ?? null;
  if (rate.exact && rate.connected === false) return i18n.t("refusal.destination_blocked");
  // Credit is checked against the balance, which updates immediately after a top-up.
  if (refusal !== null && refusal.code !== "insufficient_credit") return refusalText(refusal.code, refusal.message);
  return rate.longestCallSeconds === null ? i18n.t("dialer:rate.notOpen") : null;
}

function RateSkeleton() {
  const { t } = useTranslation("dialer");
  return (
    <div className="ratebox" role="status">
      <span className="sr-only">{t("rate.loading")}</span>
      <p className="rate">
        <Skeleton width="11rem" />
        <Skeleton width="5rem" height="1.5rem" />
      </p>
      <p className="rate rate--more">
        <Skeleton width="10rem" />
      </p>
    </div>
  );
}

/** The longest call that balance and limits allow, rounded down. Without `longest`, only the balance counts. */
function TalkTime({ rate, longest }: { readonly rate: ShownRate; readonly longest: number | undefined }) {
  const { t } = useTranslation("dialer");
  const { data } = useQuery(balanceQuery);
  const freeCall = useFreeCallText();
  if (data === undefined) return <Skeleton width="10rem" />;
  const available = fromDecimalString(data.available);
  const terms = {
    ratePerMinuteMicros: fromDecimalString(rate.ratePerMinute),
    firstIntervalSeconds: rate.firstIntervalSeconds,
    nextIntervalSeconds: rate.nextIntervalSeconds,
  };
  const seconds = longestCallSeconds(available, terms, LONG_TALK_SECONDS);
  if (seconds < 60) return <span>{freeCall ?? t("rate.noTalkTime")}</span>;
  if (longest !== undefined && seconds > longest)
    return <span>{t("rate.longestCall", { minutes: formatCount(Math.floor(longest / 60)) })}</span>;
  if (seconds >= LONG_TALK_SECONDS - 60) return <span>{t("rate.talkTimeLong", { hours: LONG_TALK_SECONDS / 3600 - 1 })}</span>;
  return <span>{t("rate.talkTime", { minutes: formatCount(Math.floor(seconds / 60)) })}</span>;
}

function Increment({ rate }: { readonly rate: ShownRate }) {
  const { t } = useTranslation("dialer");
  const incrementText = useIncrementText();
  return <span>{t("rate.charged", { how: incrementText(rate.firstIntervalSeconds, rate.nextIntervalSeconds) })}</span>;
}

/** How a new customer gets the free first call; null once the address is confirmed, or if none is offered. */
function useFreeCallText(): string | null {
  const { t } = useTranslation("common");
  const { data: config } = useQuery(configQuery);
  const { data: user } = useQuery(userQuery);
  const amount = config?.first_call ?? null;
  if (amount === null || user === undefined || user.email_verified || user.disposable_email) return null;
  return t("verifyEmail.freeCall", { amount: formatMoney(amount) });
}
