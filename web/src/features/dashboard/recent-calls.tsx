import type { Call } from "@farline/contract/calls.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { countryName } from "../../text/country-name.ts";
import { shownStatus } from "../../text/call-outcome.ts";
import { useCallSeconds } from "../../time/use-now.ts";
import { formatCost, formatCount } from "../../text/format.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { Card } from "../../ui/card.tsx";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Flag } from "../../ui/flag.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { recentCallsQuery } from "./dashboard-queries.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./dashboard.module.css";
import * as rowsStyles from "../../ui/rows.module.css";

/** The 5 most recent calls. */
export function RecentCalls() {
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
      <span className={classNames(rowsStyles.sum, styles.cost)}>{call.ended_at === null ? "–" : formatCost(call.cost)}</span>
    </Link>
  );
}
