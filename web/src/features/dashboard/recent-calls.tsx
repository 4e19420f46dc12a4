import type { Call } from "@farline/contract/calls.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { countryName } from "../../text/country-name.ts";
import { shownStatus } from "../../text/call-outcome.ts";
import { useCallSeconds } from "../../text/use-call-seconds.ts";
import { formatCost, formatCount } from "../../text/format.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { Card } from "../../ui/card.tsx";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Flag } from "../../ui/flag.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { recentCallsQuery } from "./dashboard-queries.ts";
import "../../ui/rows.css";
import "./dashboard-page.css";
import "./recent-calls.css";

/** The 5 most recent calls. */
export function RecentCalls() {
  const { t } = useTranslation("dashboard");
  return (
    <Card
      title={t("recent.title")}
      className="dash__recent"
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
  const { data: calls, isError, isFetching, refetch } = useQuery(recentCallsQuery);
  const write = usePhoneText();
  if (calls === undefined)
    return isError ? (
      <LoadFailure text={t("recent.failure")} busy={isFetching} onRetry={() => void refetch()} />
    ) : (
      <SkeletonRows rows={5} />
    );
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
    <ul className="rows">
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
    <Link className="crow drow" to={`/call/${call.id}`}>
      <Flag code={call.destination_country} />
      <span className="drow__num">
        <span className="crow__name">{call.contact_name ?? number}</span>
        <span className="crow__meta">{countryName(call.destination_country, call.destination_country_name)}</span>
      </span>
      <span className="drow__dur crow__meta">
        {seconds === null ? "–" : t("recent.seconds", { count: seconds, formatted: formatCount(seconds) })}
      </span>
      <span className="drow__st">
        <StatusBadge status={status} quiet={status === "completed"} />
      </span>
      <span className="crow__sum">{call.ended_at === null ? "–" : formatCost(call.cost)}</span>
    </Link>
  );
}
