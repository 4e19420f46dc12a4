import { longestCallSeconds } from "@farline/domain/calls/charge.ts";
import { hasSeveralClocks, timeZoneOf } from "@farline/domain/countries/time-zones.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { useQuery } from "@tanstack/react-query";
import { IconClock, IconMoon, IconUserCircle } from "@tabler/icons-react";
import { type ReactNode, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useShell } from "../../../browser/page-hooks.ts";
import { useMinute } from "../../../time/use-now.ts";
import { formatDollarBuys, formatDuration, formatMinutes, formatRate, formatRatePerMinute } from "../../../text/format.ts";
import { destinationText, messageText } from "../../../text/message-text.ts";
import { writeNumber } from "../../../text/phone-text.ts";
import { useDialLibrary } from "../call-intent.ts";
import { useCreditToConfirm } from "../dialer-queries.ts";
import { timeThere } from "../../../text/time-there.ts";
import { balanceQuery, callerIdQuery } from "../../../service/queries.ts";
import { useIncrementText } from "../../../text/price-text.ts";
import { Flag } from "../../../ui/flag.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Skeleton } from "../../../ui/waiting/skeleton.tsx";
import { PlaceTime } from "../dialer-parts.ts";
import type { NumberEntry } from "../number/use-number-entry.ts";
import { billingRateOf, blockingRefusal, type NumberPrice, useUsualPrice } from "./number-price.ts";
import { NEVER_DIALLED } from "../number/call-problems.tsx";
import { classNames } from "../../../ui/class-names.ts";
import * as diallingStyles from "../../../ui/dialling/dialling.module.css";
import * as styles from "../number/dial-form.module.css";

/** Shown as "a long time" above this. No call lasts that long. */
const LONG_TALK_SECONDS = 100 * 3600;

interface BoardProps {
  readonly entry: NumberEntry;
  readonly price: NumberPrice;
  /** The price is above the one that the caller saw at the press. */
  readonly priceIsHigher: boolean;
  /** Shows only price and destination, beside a more important message. */
  readonly terse: boolean;
}

/** The rate board: price, minutes per dollar, how long the balance lasts, and the facts of the call; or why it cannot be made. */
export function Board({ entry, price, priceIsHigher, terse }: BoardProps) {
  const { t } = useTranslation("dialer");
  const usual = useUsualPrice(entry);
  if (entry.destination === null || (entry.number?.ok === false && NEVER_DIALLED.has(entry.number.problem))) return null;
  if (price.state === "refused" || price.state === "unanswered") return <p className={styles.said}>{price.reason}</p>;
  const refusal = price.state === "quoted" ? blockingRefusal(price.quote) : null;
  if (refusal !== null) return <p className={styles.said}>{messageText(refusal)}</p>;
  const facts = terse ? null : <Facts entry={entry} price={price} />;
  if (price.state === "quoted") {
    const { price: its, free_seconds: freeSeconds } = price.quote;
    return (
      <Plate
        country={entry.destination}
        description={destinationText(its)}
        rate={its.rate_per_minute}
        freeSeconds={priceIsHigher ? null : freeSeconds}
        isUsual={false}
      >
        {priceIsHigher ? (
          <p className={styles.terms}>
            <span role="alert">{t("rate.changed", { price: formatRatePerMinute(its.rate_per_minute) })}</span>
          </p>
        ) : terse ? null : (
          <Terms quote={price.quote} />
        )}
        {facts}
      </Plate>
    );
  }
  if (usual.loading) return <BoardSkeleton />;
  if (usual.price === null) return <p className={styles.said}>{t("rate.none")}</p>;
  const { ratePerMinute, description } = usual.price;
  return (
    <Plate
      country={entry.destination}
      description={description}
      rate={ratePerMinute}
      freeSeconds={null}
      isUsual={entry.text === ""}
    >
      {!terse && (
        <p className={styles.terms}>
          <TalkTime price={{ rate_per_minute: ratePerMinute }} longest={undefined} />
        </p>
      )}
      {facts}
    </Plate>
  );
}

interface PlateProps {
  readonly country: string;
  readonly description: string;
  readonly rate: string;
  /** How long the call is free from its answer; null if it is not. */
  readonly freeSeconds: number | null;
  /** No number is entered yet: quieter on a phone, where people come first. */
  readonly isUsual: boolean;
  readonly children: ReactNode;
}

function Plate({ country, description, rate, freeSeconds, isUsual, children }: PlateProps) {
  const { t } = useTranslation("dialer");
  const buys = formatDollarBuys(rate);
  return (
    <div
      className={classNames(styles.board, "on-panel")}
      role="group"
      aria-label={t("rate.label")}
      data-usual={isUsual || undefined}
    >
      <p className={styles.where}>
        <Flag code={country} />
        <span>{description}</span>
      </p>
      <p className={styles.line}>
        {freeSeconds === null ? (
          <>
            <Price perMinute={formatRatePerMinute(rate)} amount={formatRate(rate)} />
            {buys !== null && <span className={diallingStyles.dollar}>{buys}</span>}
          </>
        ) : (
          <>
            <span className={styles.price}>{t("rate.freeCall")}</span>
            <span className={diallingStyles.dollar}>{formatDuration(freeSeconds)}</span>
          </>
        )}
      </p>
      {children}
    </div>
  );
}

/** The amount larger than the words around it. */
function Price({ perMinute, amount }: { readonly perMinute: string; readonly amount: string }) {
  const [before = "", after = ""] = perMinute.split(amount);
  return (
    <span className={styles.price}>
      <small>{before}</small>
      <span>{amount}</span>
      <small>{after}</small>
    </span>
  );
}

function Terms({ quote }: { readonly quote: Extract<NumberPrice, { state: "quoted" }>["quote"] }) {
  const { t } = useTranslation("dialer");
  const incrementText = useIncrementText();
  const { price, max_seconds: longest, free_seconds: freeSeconds } = quote;
  const how = incrementText(price.first_interval_s, price.next_interval_s);
  return (
    <p className={styles.terms}>
      {freeSeconds === null ? (
        <TalkTime price={price} longest={longest ?? undefined} />
      ) : (
        <span>
          {t(freeSeconds === longest ? "rate.thenWithCredit" : "rate.then", {
            price: formatRatePerMinute(price.rate_per_minute),
          })}
        </span>
      )}
      <span>{t("rate.charged", { how })}</span>
    </p>
  );
}

/** The time at the destination, and the number that the called person sees. */
function Facts({ entry, price }: { readonly entry: NumberEntry; readonly price: NumberPrice }) {
  return (
    <div className={styles.facts}>
      <TimeThere entry={entry} price={price} />
      <CallerIdLine />
    </div>
  );
}

/** The local time at the destination. At night, once a number is entered, the sentence says so. */
function TimeThere({ entry, price }: { readonly entry: NumberEntry; readonly price: NumberPrice }) {
  const { t } = useTranslation("dialer");
  const country = entry.destination ?? "";
  const timeZone = (price.state === "quoted" ? price.quote.time_zone : null) ?? timeZoneOf(country);
  const there = timeThere(timeZone, useMinute());
  // The build does not know when its page is read.
  if (useShell() || there === null) return null;
  const { time } = there;
  const night = there.night && entry.text !== "";
  return (
    <p data-night={night || undefined}>
      <Icon of={night ? IconMoon : IconClock} />
      <span className="fig">
        {hasSeveralClocks(country) ? (
          <Suspense>
            <PlaceTime countryCode={country} timeZone={timeZone ?? ""} time={time} night={night} />
          </Suspense>
        ) : night ? (
          t("there.night", { time })
        ) : (
          t("there.time", { time })
        )}
      </span>
    </p>
  );
}

/** The number that the called person sees, with a link to choose another. */
function CallerIdLine() {
  const { t } = useTranslation("dialer");
  const { data: callerId } = useQuery(callerIdQuery);
  // Not before it can be written with its spaces.
  if (useDialLibrary() === null || callerId === undefined) return null;
  return (
    <Link className="fig" to="/account">
      <Icon of={IconUserCircle} />
      <span>{t("callerId.shown", { number: writeNumber(callerId.shown) })}</span>
    </Link>
  );
}

function BoardSkeleton() {
  const { t } = useTranslation("dialer");
  return (
    <div className={classNames(styles.board, "on-panel")} role="status">
      <span className="sr-only">{t("rate.loading")}</span>
      <p className={styles.where}>
        <Skeleton width="11rem" />
      </p>
      <p className={styles.line}>
        <Skeleton width="9rem" height="2.5rem" />
      </p>
      <p className={styles.terms}>
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
  const toConfirm = useCreditToConfirm();
  if (data === undefined) return <Skeleton width="10rem" />;
  const { family, available } = data;
  const seconds = longestCallSeconds(fromDecimalString(family?.left ?? available), billingRateOf(price), LONG_TALK_SECONDS);
  if (family) {
    const minutes = formatMinutes(Math.floor(Math.min(seconds, longest ?? seconds) / 60));
    return <span>{t("rate.family", { minutes, owner: family.owner_name })}</span>;
  }
  // The number's own price says whether a free first call is possible.
  if (seconds < 60 && longest === undefined && (seconds > 0 || toConfirm !== null)) return null;
  if (seconds < 60) return <span>{t("rate.noTalkTime")}</span>;
  if (longest !== undefined && seconds > longest)
    return <span>{t("rate.longestCall", { minutes: formatMinutes(Math.floor(longest / 60)) })}</span>;
  if (seconds >= LONG_TALK_SECONDS - 60) return <span>{t("rate.talkTimeLong", { hours: LONG_TALK_SECONDS / 3600 - 1 })}</span>;
  return <span>{t("rate.talkTime", { minutes: formatMinutes(Math.floor(seconds / 60)) })}</span>;
}
