import { longestCallSeconds } from "@farline/domain/calls/charge.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatCount, formatDollarBuys, formatRatePerMinute } from "../../../text/format.ts";
import { refusalText } from "../../../service/http.ts";
import { balanceQuery } from "../../../service/queries.ts";
import { callQuoteQuery } from "../dialer-queries.ts";
import { useIncrementText } from "../../../text/use-increment-text.ts";
import { Skeleton } from "../../../ui/skeleton.tsx";
import type { NumberEntry } from "./use-number-entry.ts";
import { type ShownRate, useQuote } from "./use-quote.ts";
import "../../../ui/rate-badge.css";

/** More than this is "a long time": no call lasts as long. */
const LONG_TALK_SECONDS = 100 * 3600;

/** What this number costs, what a dollar buys of it, and how long the balance lasts. */
export function RateBadge({ entry }: { readonly entry: NumberEntry }) {
  const { t } = useTranslation(["dialer", "common"]);
  const { rate, loading } = useQuote(entry);
  if (loading) return <RateSkeleton />;
  if (rate === null) return <p className="rate muted">{t("rate.none")}</p>;
  if (rate.exact && rate.connected === false) return <p className="rate muted">{t("common:refusal.destination_blocked")}</p>;
  const buys = formatDollarBuys(rate.ratePerMinute);
  return (
    <div className="ratebox" role="group" aria-label={t("rate.label")}>
      <p className="rate">
        <span className="rate__price">
          {formatRatePerMinute(rate.ratePerMinute)} <span className="rate__what">{rate.description}</span>
        </span>
        {buys !== null && <span className="rate__dollar">{buys}</span>}
      </p>
      <p className="rate rate--more">
        <TalkTime rate={rate} e164={rate.exact && entry.number?.ok === true ? entry.number.e164 : null} />
        {rate.exact && <Increment rate={rate} />}
      </p>
    </div>
  );
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

/** How long a call the balance pays for within all limits, rounded down, or why there would be none. */
function TalkTime({ rate, e164 }: { readonly rate: ShownRate; readonly e164: string | null }) {
  const { t } = useTranslation("dialer");
  const { data } = useQuery(balanceQuery);
  const { data: quote } = useQuery({ ...callQuoteQuery(e164 ?? ""), enabled: e164 !== null });
  const refusal = quote?.refusal ?? null;
  // Check credit against the balance, which updates immediately after a top-up.
  if (refusal !== null && refusal.code !== "insufficient_credit")
    return <span>{refusalText(refusal.code, refusal.message)}</span>;
  const longest = quote?.max_seconds ?? rate.longestCallSeconds;
  if (longest === null) return <span>{t("rate.notOpen")}</span>;
  if (data === undefined) return <Skeleton width="10rem" />;
  const available = fromDecimalString(data.available);
  const terms = {
    ratePerMinuteMicros: fromDecimalString(rate.ratePerMinute),
    firstIntervalSeconds: rate.firstIntervalSeconds,
    nextIntervalSeconds: rate.nextIntervalSeconds,
  };
  const seconds = longestCallSeconds(available, terms, LONG_TALK_SECONDS);
  if (seconds < 60) return <span>{t("rate.noTalkTime")}</span>;
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
