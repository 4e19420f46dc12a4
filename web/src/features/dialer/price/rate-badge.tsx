import type { CallQuoteResponse } from "@farline/contract/calls.ts";
import { longestCallSeconds } from "@farline/domain/calls/charge.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatDollarBuys, formatDuration, formatMinutes, formatRatePerMinute } from "../../../text/format.ts";
import { destinationText, messageText } from "../../../text/message-text.ts";
import { balanceQuery, configQuery, userQuery } from "../../../service/queries.ts";
import { useIncrementText } from "../../../text/price-text.ts";
import { Skeleton } from "../../../ui/waiting/skeleton.tsx";
import type { NumberEntry } from "../number/use-number-entry.ts";
import { billingRateOf, blockingRefusal, type NumberPrice, useUsualPrice, type UsualPrice } from "./number-price.ts";
import { NEVER_DIALLED } from "../number/call-problems.tsx";
import { classNames } from "../../../ui/class-names.ts";
import * as diallingStyles from "../../../ui/dialling/dialling.module.css";
import * as styles from "../number/dial-form.module.css";

/** Shown as "a long time" above this. No call lasts that long. */
const LONG_TALK_SECONDS = 100 * 3600;

interface RateBadgeProps {
  readonly entry: NumberEntry;
  readonly price: NumberPrice;
  /** The price is above the one that the caller saw at the press. */
  readonly priceIsHigher: boolean;
  /** Shows only price and destination, beside a more important message. */
  readonly terse: boolean;
}

/** The price of the number, the minutes per dollar and how long the balance lasts; or why it cannot be called. */
export function RateBadge({ entry, price, priceIsHigher, terse }: RateBadgeProps) {
  const { t } = useTranslation("dialer");
  const usual = useUsualPrice(entry);
  if (entry.destination === null || (entry.number?.ok === false && NEVER_DIALLED.has(entry.number.problem))) return null;
  if (price.state === "refused" || price.state === "unanswered")
    return <p className={classNames(diallingStyles.rate, "muted")}>{price.reason}</p>;
  const refusal = price.state === "quoted" ? blockingRefusal(price.quote) : null;
  if (refusal !== null) return <p className={classNames(diallingStyles.rate, "muted")}>{messageText(refusal)}</p>;
  if (price.state === "quoted") {
    const { rate_per_minute: ratePerMinute } = price.quote.price;
    return (
      <Price shown={{ ratePerMinute, description: destinationText(price.quote.price) }}>
        {priceIsHigher ? (
          <span role="alert">{t("rate.changed", { price: formatRatePerMinute(ratePerMinute) })}</span>
        ) : terse ? null : (
          <Terms quote={price.quote} />
        )}
      </Price>
    );
  }
  if (usual.loading) return <RateSkeleton />;
  if (usual.price === null) return <p className={classNames(diallingStyles.rate, "muted")}>{t("rate.none")}</p>;
  return (
    <Price shown={usual.price}>
      {!terse && <TalkTime price={{ rate_per_minute: usual.price.ratePerMinute }} longest={undefined} />}
    </Price>
  );
}

function Price({ shown, children }: { readonly shown: UsualPrice; readonly children: ReactNode }) {
  const { t } = useTranslation("dialer");
  const buys = formatDollarBuys(shown.ratePerMinute);
  return (
    <div className={classNames(diallingStyles.ratebox, styles.box)} role="group" aria-label={t("rate.label")}>
      <p className={diallingStyles.rate}>
        <span className={diallingStyles.price}>{formatRatePerMinute(shown.ratePerMinute)}</span>
        {buys !== null && <span className={diallingStyles.dollar}>{buys}</span>}
      </p>
      <p className={classNames(diallingStyles.rate, diallingStyles.more, styles.what)}>{shown.description}</p>
      {children !== null && children !== false && (
        <p className={classNames(diallingStyles.rate, diallingStyles.more)}>{children}</p>
      )}
    </div>
  );
}

function Terms({ quote: { price, max_seconds: longest, is_free_first_call: isFree } }: { readonly quote: CallQuoteResponse }) {
  const { t } = useTranslation("dialer");
  const incrementText = useIncrementText();
  return (
    <>
      {isFree ? (
        <span>{t("rate.freeFirstCall", { length: formatDuration(longest ?? 0) })}</span>
      ) : (
        <TalkTime price={price} longest={longest ?? undefined} />
      )}
      <span>{t("rate.charged", { how: incrementText(price.first_interval_s, price.next_interval_s) })}</span>
    </>
  );
}

function RateSkeleton() {
  const { t } = useTranslation("dialer");
  return (
    <div className={classNames(diallingStyles.ratebox, styles.box)} role="status">
      <span className="sr-only">{t("rate.loading")}</span>
      <p className={diallingStyles.rate}>
        <Skeleton width="11rem" />
        <Skeleton width="5rem" height="1.5rem" />
      </p>
      <p className={classNames(diallingStyles.rate, diallingStyles.more)}>
        <Skeleton width="10rem" />
      </p>
    </div>
  );
}

/** The longest call that balance and limits allow, rounded down. Without `longest`, only the balance counts. */
function TalkTime(props: { readonly price: Parameters<typeof billingRateOf>[0]; readonly longest: number | undefined }) {
  const { price, longest } = props;
  const { t } = useTranslation("dialer");
  const { data } = useQuery(balanceQuery);
  const freeCall = useFreeCallText();
  if (data === undefined) return <Skeleton width="10rem" />;
  const { family, available } = data;
  const seconds = longestCallSeconds(fromDecimalString(family?.left ?? available), billingRateOf(price), LONG_TALK_SECONDS);
  if (family) {
    const minutes = formatMinutes(Math.floor(Math.min(seconds, longest ?? seconds) / 60));
    return <span>{t("rate.family", { minutes, owner: family.owner_name })}</span>;
  }
  // The number's own price says whether a free first call of less than a minute is possible.
  if (seconds < 60 && freeCall === null && longest === undefined && seconds > 0) return null;
  if (seconds < 60) return <span>{freeCall ?? t("rate.noTalkTime")}</span>;
  if (longest !== undefined && seconds > longest)
    return <span>{t("rate.longestCall", { minutes: formatMinutes(Math.floor(longest / 60)) })}</span>;
  if (seconds >= LONG_TALK_SECONDS - 60) return <span>{t("rate.talkTimeLong", { hours: LONG_TALK_SECONDS / 3600 - 1 })}</span>;
  return <span>{t("rate.talkTime", { minutes: formatMinutes(Math.floor(seconds / 60)) })}</span>;
}

/** How a new customer gets the free first call; null once the address is confirmed, or if none is offered. */
function useFreeCallText(): string | null {
  const { t } = useTranslation("dialer");
  const { data: config } = useQuery(configQuery);
  const { data: user } = useQuery(userQuery);
  const isOffered = (config?.first_call ?? null) !== null;
  return isOffered && user?.email_verified === false && !user.disposable_email ? t("rate.confirmEmail") : null;
}
