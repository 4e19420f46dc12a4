import { shownStatus } from "@farline/contract/constants.ts";
import type { Call } from "@farline/contract/calls.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { IconPhoneFilled } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import * as cardStyles from "../../ui/card.module.css";
import * as phonecardStyles from "../../ui/money/phonecard.module.css";
import * as rowsStyles from "../../ui/rows.module.css";
import * as styles from "./dashboard.module.css";
import cord from "../../assets/cord-card.svg";
import { useTitle } from "../../browser/page-hooks.ts";
import { balanceQuery, configQuery, userQuery } from "../../service/queries.ts";
import { callCost } from "../../text/call-outcome.ts";
import { formatCount, formatSum } from "../../text/format.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { useCallSeconds } from "../../time/use-now.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Called } from "../../ui/called.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { PhonecardAmount } from "../../ui/money/phonecard.tsx";
import { NotLoaded } from "../../ui/waiting/loaded.tsx";
import { Skeleton } from "../../ui/waiting/skeleton.tsx";
import { recentCallsQuery, summaryQuery } from "./dashboard-queries.ts";
import { UsageCard } from "./usage-card.tsx";
import { countryName } from "../../text/i18n.ts";

/** Charts and totals say something only from this number of calls. */
const CALLS_FOR_CHARTS = 10;

export function DashboardPage() {
  const { t } = useTranslation("dashboard");
  const { data: user } = useQuery(userQuery);
  const { data: summary, isPending } = useQuery(summaryQuery);
  useTitle(t("title"));
  const calls = summary?.total_calls;
  const freeText = useFreeText();
  const free = calls === 0 ? freeText : null;
  return (
    <>
      <h1 className="t-page head">{user === undefined ? t("helloNoName") : t("hello", { name: user.name })}</h1>
      <div className={styles.page}>
        <div className={styles.dash}>
          {free !== null && (
            <section className={classNames(styles.free, "on-credit")}>
              <p>{free}</p>
              <CallLink />
            </section>
          )}
          <BalanceCard isFirst={free === null} />
          {free === null && <CallLink />}
          <TotalCard calls={calls} isPending={isPending} />
          <RecentCalls />
          {summary !== undefined && summary.total_calls >= CALLS_FOR_CHARTS && <UsageCard summary={summary} />}
        </div>
      </div>
    </>
  );
}

function CallLink() {
  const { t } = useTranslation("dashboard");
  return (
    <ButtonLink className={styles.call} pair="call" to="/dialer">
      <Icon of={IconPhoneFilled} />
      <span>{t("call.title")}</span>
    </ButtonLink>
  );
}

/** That a first call is free, or becomes so once the address is confirmed; null where none is offered. */
function useFreeText(): string | null {
  const { t } = useTranslation();
  const { data: config } = useQuery(configQuery);
  const { data: user } = useQuery(userQuery);
  const { data: balance } = useQuery(balanceQuery);
  const free = config?.first_call;
  if (!free || user === undefined || user.disposable_email) return null;
  if (user.email_verified && fromDecimalString(balance?.bonus ?? "0") === 0n) return null;
  return t(user.email_verified ? "verifyEmail.firstCall" : "verifyEmail.freeCall", { amount: formatSum(free) });
}

/** @param isFirst the page has no other yellow card, so that it is the large one */
function BalanceCard({ isFirst }: { readonly isFirst: boolean }) {
  const { t } = useTranslation("dashboard");
  const id = useId();
  const { data } = useQuery(balanceQuery);
  return (
    <section
      className={
        isFirst ? classNames(phonecardStyles.phonecard, styles.bal, "on-credit") : classNames(cardStyles.card, styles.small)
      }
      aria-labelledby={id}
    >
      {isFirst && <img className={phonecardStyles.cord} src={cord} alt="" width="330" height="220" />}
      <h2 className={phonecardStyles.label} id={id}>
        {t("balance.label")}
      </h2>
      <PhonecardAmount balance={data} />
      <p className={styles.topUp}>
        <Link className="link" to="/topup">
          {t("balance.topUp")}
        </Link>
      </p>
    </section>
  );
}

function TotalCard({ calls, isPending }: { readonly calls: number | undefined; readonly isPending: boolean }) {
  const { t } = useTranslation("dashboard");
  const id = useId();
  return (
    <section className={classNames(cardStyles.card, styles.total)} aria-labelledby={id}>
      <p className={classNames(styles.figure, "fig")}>
        {isPending ? <Skeleton width="3rem" height="1em" /> : calls === undefined ? "–" : formatCount(calls)}
      </p>
      <h2 className={styles.totalName} id={id}>
        <Link to="/history">{t("total.title")}</Link>
      </h2>
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
  const recent = useQuery(recentCallsQuery);
  const { data: calls } = recent;
  const write = usePhoneText();
  if (calls === undefined) return <NotLoaded of={recent} failure={t("recent.failure")} rows={5} />;
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
  const { t } = useTranslation(["dashboard", "common"]);
  const seconds = useCallSeconds(call);
  const facts = [
    countryName(call.destination_country, call.destination_country_name),
    seconds === null ? null : t("recent.seconds", { count: seconds, formatted: formatCount(seconds) }),
    t(`common:status.${shownStatus(call)}`),
  ];
  return (
    <Link className={rowsStyles.crow} to={`/call/${call.id}`}>
      <Flag code={call.destination_country} />
      <span className={styles.num}>
        <span className={rowsStyles.name}>
          <Called name={call.contact_name} number={number} />
        </span>
        <span className={rowsStyles.meta}>{facts.filter((fact) => fact !== null).join(", ")}</span>
      </span>
      <span className={rowsStyles.sum}>{callCost(call)}</span>
    </Link>
  );
}
