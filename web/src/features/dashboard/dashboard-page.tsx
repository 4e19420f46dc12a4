import type { Call } from "@farline/contract/calls.ts";
import { dialerPath } from "@farline/contract/constants.ts";
import { IconArrowRight, IconDialpadFilled, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import * as cardStyles from "../../ui/card.module.css";
import * as iconStyles from "../../ui/icon.module.css";
import * as lineStyles from "../../ui/line.module.css";
import * as phonecardStyles from "../../ui/money/phonecard.module.css";
import * as rowsStyles from "../../ui/rows.module.css";
import * as styles from "./dashboard.module.css";
import cord from "../../assets/cord-card.svg";
import { useTitle } from "../../browser/page-hooks.ts";
import { balanceQuery, userQuery } from "../../service/queries.ts";
import { requestCall } from "../../session/requested-call.ts";
import { callCost, shownStatus } from "../../text/call-outcome.ts";
import { formatCount } from "../../text/format.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { useCallSeconds } from "../../time/use-now.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Favorites } from "../../ui/dialling/favorites.tsx";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { PhonecardAmount } from "../../ui/money/phonecard.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { Skeleton, SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { recentCallsQuery, summaryQuery } from "./dashboard-queries.ts";
import { UsageCard } from "./usage-card.tsx";
import { countryName } from "../../text/i18n.ts";

export function DashboardPage() {
  const { t } = useTranslation("dashboard");
  const { data: user } = useQuery(userQuery);
  const navigate = useNavigate();
  useTitle(t("title"));
  return (
    <>
      <h1 className="t-page head">{user === undefined ? t("helloNoName") : t("hello", { name: user.name })}</h1>
      <div className={styles.page}>
        <div className={styles.dash}>
          <Favorites
            className={styles.people}
            onCall={(person, shown) => {
              requestCall({ ...person, shown });
              void navigate(dialerPath);
            }}
          />
          <BalanceCard />
          <CallCard />
          <TotalCard />
          <RecentCalls />
          <UsageCard />
        </div>
      </div>
    </>
  );
}

function BalanceCard() {
  const { t } = useTranslation("dashboard");
  const id = useId();
  const { data } = useQuery(balanceQuery);
  return (
    <section className={classNames(phonecardStyles.phonecard, styles.bal, "on-credit")} aria-labelledby={id}>
      <img className={phonecardStyles.cord} src={cord} alt="" width="330" height="220" />
      <h2 className={phonecardStyles.label} id={id}>
        {t("balance.label")}
      </h2>
      <PhonecardAmount balance={data} />
      <div className={phonecardStyles.foot}>
        <ButtonLink pair="action" to="/topup">
          <Icon of={IconPlus} />
          <span>{t("balance.topUp")}</span>
        </ButtonLink>
      </div>
    </section>
  );
}

function CallCard() {
  const { t } = useTranslation("dashboard");
  const id = useId();
  return (
    <section className={classNames(styles.call, "on-panel")} aria-labelledby={id}>
      <div>
        <h2 className="t-card" id={id}>
          {t("call.title")}
        </h2>
        <p className="muted">{t("call.text")}</p>
      </div>
      <div className={classNames(lineStyles.line, lineStyles.idle)} aria-hidden="true">
        <i />
      </div>
      <ButtonLink pair="call" size="lg" wide to="/dialer">
        <Icon of={IconDialpadFilled} />
        <span>{t("call.action")}</span>
      </ButtonLink>
    </section>
  );
}

/** A count with more than three digits gets a smaller font. */
const LONG_FROM = 1_000;

function TotalCard() {
  const { t } = useTranslation("dashboard");
  const id = useId();
  const { data, isPending } = useQuery(summaryQuery);
  return (
    <section className={classNames(cardStyles.card, styles.total)} aria-labelledby={id}>
      <h2 className="t-sub" id={id}>
        {t("total.title")}
      </h2>
      <p className={classNames(styles.figure, "fig", (data?.total_calls ?? 0) >= LONG_FROM && styles.nLong)}>
        {isPending ? <Skeleton width="6rem" height="1em" /> : data === undefined ? "–" : formatCount(data.total_calls)}
      </p>
      <Link className="link" to="/history">
        <span>{t("total.link")}</span> <Icon of={IconArrowRight} className={iconStyles.ahead} />
      </Link>
    </section>
  );
}

/** The 5 most recent calls. */
function RecentCalls() {
  const { t } = useTranslation("dashboard");
  return (
    <Card
      title={t("recent.title")}
      className={styles.recent}
      aside={
        <Link className="link" to="/history">
          {t("total.link")}
        </Link>
      }
    >
      <Rows />
    </Card>
  );
}

function Rows() {
  const { t } = useTranslation("dashboard");
  const { data: calls, isError, error, isFetching, refetch } = useQuery(recentCallsQuery);
  const write = usePhoneText();
  if (calls === undefined)
    return isError ? <LoadFailure text={t("recent.failure")} of={{ error, isFetching, refetch }} /> : <SkeletonRows rows={5} />;
  if (calls.length === 0)
    return (
      <EmptyState
        as="p"
        title={t("recent.empty")}
        action={
          <ButtonLink pair="call" to="/dialer">
            {t("recent.action")}
          </ButtonLink>
        }
      />
    );
  return (
    <ul className={rowsStyles.rows}>
      {calls.map((call) => (
        <li key={call.id}>
          <Row call={call} number={write(call.destination_number)} />
        </li>
      ))}
    </ul>
  );
}

function Row({ call, number }: { readonly call: Call; readonly number: string }) {
  const { t } = useTranslation("dashboard");
  const seconds = useCallSeconds(call);
  const status = shownStatus(call);
  return (
    <Link className={classNames(rowsStyles.crow, styles.drow)} to={`/call/${call.id}`}>
      <Flag code={call.destination_country} />
      <span className={styles.num}>
        <span className={rowsStyles.name}>{call.contact_name ?? number}</span>
        <span className={rowsStyles.meta}>{countryName(call.destination_country, call.destination_country_name)}</span>
      </span>
      <span className={classNames(styles.dur, rowsStyles.meta)}>
        {seconds === null ? "–" : t("recent.seconds", { count: seconds, formatted: formatCount(seconds) })}
      </span>
      <span className={styles.st}>
        <StatusBadge status={status} quiet={status === "completed"} />
      </span>
      <span className={classNames(rowsStyles.sum, styles.cost)}>{callCost(call) ?? "–"}</span>
    </Link>
  );
}
