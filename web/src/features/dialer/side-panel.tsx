import type { Call } from "@farline/contract/calls.ts";
import { useQuery } from "@tanstack/react-query";
import { IconPhone, IconPlus } from "@tabler/icons-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { isShortened } from "../../text/phone-text.ts";
import { formatBalance, formatCost, formatDateTime, formatDuration, formatRatePerMinute } from "../../text/format.ts";
import { useCallSeconds } from "../../time/use-now.ts";
import { balanceQuery } from "../../service/queries.ts";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Skeleton, SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { latestCallsQuery, mobileRate, ratesQuery } from "./dialer-queries.ts";
import { useNumberText } from "./call-intent.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./dialer-page.module.css";
import * as destinationsStyles from "../../ui/destinations.module.css";
import * as cardStyles from "../../ui/card.module.css";
import * as rowsStyles from "../../ui/rows.module.css";
import { countryName } from "../../text/i18n.ts";

/** The credit that pays for calls: the own balance or what a family's owner allows, with a link to top up. */
export function BalanceBadge() {
  const { t } = useTranslation("dialer");
  const { data } = useQuery(balanceQuery);
  return (
    <div className={styles.balance}>
      <span className="fig">
        <span className={styles.balanceLabel}>
          {data?.family ? t("balance.family", { owner: data.family.owner_name }) : t("balance.label")}
        </span>{" "}
        <span>{data === undefined ? "–" : formatBalance(data.family?.left ?? data.balance, data.currency)}</span>
      </span>
      <ButtonLink pair="credit" iconOnly to="/topup" aria-label={t("balance.topUp")}>
        <Icon of={IconPlus} />
      </ButtonLink>
    </div>
  );
}

const POPULAR = ["US", "IN", "GB", "CA", "AE", "AU"] as const;

/** Six countries with their mobile rates; a press selects the country. */
export function PopularDestinations({ onChoose }: { readonly onChoose: (countryCode: string) => void }) {
  const { t } = useTranslation("dialer");
  const id = useId();
  const { data: rates, isPending } = useQuery(ratesQuery);
  return (
    <section aria-labelledby={id}>
      <h2 className={classNames(styles.sideHeading, "t-sub")} id={id}>
        {t("popular.title")}
      </h2>
      <ul className={classNames(destinationsStyles.dests, destinationsStyles.dests3)}>
        {POPULAR.map((code) => {
          const rate = mobileRate(rates, code);
          if (rate === null && !isPending) return null;
          return (
            <li key={code}>
              <button className={destinationsStyles.dest} type="button" disabled={rate === null} onClick={() => onChoose(code)}>
                <Flag code={code} />
                <b>{rate === null ? <Skeleton width="6rem" /> : countryName(code, rate.country_name)}</b>
                <small>{rate === null ? <Skeleton width="5rem" /> : formatRatePerMinute(rate.our_rate_per_minute)}</small>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface LatestCallsProps {
  /** Fills in the number. */
  readonly onChoose: (call: Call) => void;
  /** Calls the number at once. */
  readonly onAgain: (call: Call) => void;
}

/** The 5 latest calls: a press fills in the number, the green button calls it. */
export function LatestCalls({ onChoose, onAgain }: LatestCallsProps) {
  const { t } = useTranslation("dialer");
  const id = useId();
  const { data: latest, isPending } = useQuery(latestCallsQuery);
  const data = latest?.filter((call) => !isShortened(call.destination_number));
  return (
    <section className={cardStyles.card} aria-labelledby={id}>
      <div className={cardStyles.head}>
        <h2 className="t-sub" id={id}>
          {t("latest.title")}
        </h2>
        <Link className="link small" to="/history">
          {t("latest.all")}
        </Link>
      </div>
      {isPending && <SkeletonRows rows={3} />}
      {data?.length === 0 && <p className={classNames(styles.none, "muted")}>{t("latest.empty")}</p>}
      {data === undefined && !isPending && <p className={classNames(styles.none, "muted")}>{t("latest.failure")}</p>}
      <ul className={rowsStyles.rows}>
        {data?.map((call) => (
          <li key={call.id} className={styles.row}>
            <CallRow call={call} onChoose={onChoose} onAgain={onAgain} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function CallRow({ call, onChoose, onAgain }: LatestCallsProps & { readonly call: Call }) {
  const { t } = useTranslation(["dialer", "common"]);
  const write = useNumberText();
  const seconds = useCallSeconds(call);
  const who = call.contact_name ?? write(call.destination_number);
  return (
    <>
      <button
        type="button"
        className={classNames(rowsStyles.crow, rowsStyles.button, styles.latest)}
        onClick={() => onChoose(call)}
      >
        <Flag code={call.destination_country} />
        <span>
          <span className="sr-only">{t("latest.choose")} </span>
          <span className={rowsStyles.name}>{who}</span>
          <br />
          <span className={rowsStyles.meta}>{formatDateTime(call.created_at)}</span>
        </span>
        <span className={rowsStyles.sum}>
          <span>{call.ended_at === null ? "–" : formatCost(call.cost)}</span>
          <span className={rowsStyles.meta}>{seconds === null ? "–" : formatDuration(seconds)}</span>
        </span>
      </button>
      <Button
        iconOnly
        className={classNames(destinationsStyles.contactlink, destinationsStyles.call, styles.again)}
        aria-label={t("common:contact.callAgainName", { name: who })}
        onClick={() => onAgain(call)}
      >
        <Icon of={IconPhone} />
      </Button>
    </>
  );
}

const TIPS = ["country", "zero", "headphones", "page"] as const;

export function QuickTips() {
  const { t } = useTranslation("dialer");
  const id = useId();
  return (
    <section className={styles.tips} aria-labelledby={id}>
      <h2 className="t-sub" id={id}>
        {t("tips.title")}
      </h2>
      <ol>
        {TIPS.map((tip) => (
          <li key={tip}>{t(`tips.${tip}`)}</li>
        ))}
      </ol>
    </section>
  );
}
