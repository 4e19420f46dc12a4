import "./history.css";
import type { Call } from "@farline/contract/calls.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { countryName } from "../../lib/country-name.ts";
import { formatCost, formatDateTime, formatDuration, formatRatePerMinute } from "../../lib/format.ts";
import { usePhoneText } from "../../lib/phone-text.ts";
import { useTitle } from "../../lib/use-title.ts";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Flag } from "../../ui/flag.tsx";
import { Key, KeyLink } from "../../ui/key.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { StatusBadge, StatusTile } from "../../ui/status-badge.tsx";
import { historyQuery } from "./history-queries.ts";

export function HistoryPage() {
  const { t } = useTranslation("history");
  useTitle(t("title"));
  return (
    <>
      <h1 className="t-page head">{t("title")}</h1>
      <section className="card hist" aria-label={t("all")}>
        <Calls />
      </section>
    </>
  );
}

function Calls() {
  const { t } = useTranslation(["history", "common"]);
  const list = useInfiniteQuery(historyQuery);
  const write = usePhoneText();
  if (list.data === undefined)
    return list.isError ? (
      <LoadFailure text={t("failure")} busy={list.isFetching} onRetry={() => void list.refetch()} />
    ) : (
      <SkeletonRows rows={6} />
    );
  const calls = list.data.pages.flatMap((page) => page.data);
  if (calls.length === 0) return <NoCalls />;
  return (
    <>
      <Head />
      <ul className="rows">
        {calls.map((call) => (
          <li key={call.id}>
            <Row call={call} number={write(call.destination_number)} />
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Key className="hist__more" wide busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t("common:showMore")}
        </Key>
      )}
    </>
  );
}

function NoCalls() {
  const { t } = useTranslation("history");
  return (
    <EmptyState
      title={t("empty")}
      text={t("emptyText")}
      action={
        <KeyLink pair="call" to="/dialer">
          {t("makeCall")}
        </KeyLink>
      }
    />
  );
}

/** Names the columns for the eye; each row reads as a sentence by itself. */
function Head() {
  const { t } = useTranslation("history");
  return (
    <div className="hrow hrow--head" aria-hidden="true">
      <span />
      <span>{t("column.who")}</span>
      <span>{t("column.country")}</span>
      <span>{t("column.date")}</span>
      <span>{t("column.duration")}</span>
      <span>{t("column.status")}</span>
      <span>{t("column.cost")}</span>
    </div>
  );
}

/** One call. The whole row leads to its details. */
function Row({ call, number }: { readonly call: Call; readonly number: string }) {
  const { t } = useTranslation("history");
  return (
    <Link className="crow hrow" to={`/call/${call.id}`}>
      <StatusTile status={call.status} />
      <span className="hrow__who crow__name">
        {call.contact_name ?? number}
        {call.status === "failed" && call.end_reason !== null && (
          <span className="hrow__why">{t(`endReason.${call.end_reason}`)}</span>
        )}
      </span>
      <span className="hrow__c">
        <Flag code={call.destination_country} size="sm" />
        {countryName(call.destination_country, call.destination_country_name)}
      </span>
      <time className="hrow__d" dateTime={call.created_at}>
        {formatDateTime(call.created_at)}
      </time>
      <span className="hrow__t">{formatDuration(call.duration_seconds)}</span>
      <span className="hrow__s">
        <StatusBadge status={call.status} quiet={call.status === "completed"} />
      </span>
      <span className="hrow__m crow__sum">
        {formatCost(call.cost)}
        <span className="crow__meta">{formatRatePerMinute(call.rate_per_minute)}</span>
      </span>
    </Link>
  );
}
