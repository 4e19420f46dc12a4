import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useTitle } from "../../browser/use-title.ts";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { countParts, type FilterChoice, noFilter, toQuery, useFilter } from "./call-filter.ts";
import { CallRows } from "./call-rows.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { newestCallsQuery } from "./history-queries.ts";
import { TotalsLine } from "./totals-line.tsx";
import { useCallList } from "./use-call-list.ts";
import { classNames } from "../../ui/class-names.ts";
import * as cardStyles from "../../ui/card.module.css";
import * as styles from "./history-page.module.css";

export function HistoryPage() {
  const { t } = useTranslation("history");
  useTitle(t("title"));
  const [choice, change] = useFilter();
  const list = useCallList(toQuery(choice));
  const firstName = list.state?.calls[0]?.contact_name ?? null;
  return (
    <>
      <h1 className="t-page head">{t("title")}</h1>
      <FilterBar choice={choice} contactName={firstName} onChange={change} />
      <TotalsLine filter={toQuery(choice)} />
      <section className={classNames(cardStyles.card, styles.hist)} aria-label={t("all")}>
        <Calls choice={choice} list={list} onClear={() => change(noFilter)} />
      </section>
    </>
  );
}

interface CallsProps {
  readonly choice: FilterChoice;
  readonly list: ReturnType<typeof useCallList>;
  readonly onClear: () => void;
}

function Calls({ choice, list, onClear }: CallsProps) {
  const { t } = useTranslation("history");
  const { isError, error, isFetching, refetch } = useQuery(newestCallsQuery(toQuery(choice)));
  if (list.state === null)
    return isError ? <LoadFailure text={t("failure")} of={{ error, isFetching, refetch }} /> : <SkeletonRows rows={6} />;
  if (list.state.calls.length > 0) return <CallRows state={list.state} onMore={list.loadMore} />;
  return countParts(choice) > 0 ? <NothingFound onClear={onClear} /> : <NoCalls />;
}

function NothingFound({ onClear }: { readonly onClear: () => void }) {
  const { t } = useTranslation("history");
  return (
    <EmptyState
      title={t("emptyFiltered")}
      text={t("emptyFilteredText")}
      action={<Button onClick={onClear}>{t("filter.clear")}</Button>}
    />
  );
}

function NoCalls() {
  const { t } = useTranslation("history");
  return (
    <EmptyState
      title={t("empty")}
      text={t("emptyText")}
      action={
        <ButtonLink pair="call" to="/dialer">
          {t("makeCall")}
        </ButtonLink>
      }
    />
  );
}
