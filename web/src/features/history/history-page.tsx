import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { CallFilter, CallTotals } from "@farline/contract/call-history.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { IconDownload } from "@tabler/icons-react";
import { type ReactNode, useCallback, useLayoutEffect, useMemo, useSyncExternalStore } from "react";
import { useTitle } from "../../browser/page-hooks.ts";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { seenAt } from "../../service/last-seen.ts";
import { NewestFirst } from "../../ui/waiting/loaded.tsx";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { countParts, type FilterChoice, noFilter, toQuery, useFilter } from "./call-filter.ts";
import { CallRows } from "./call-rows.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { exportAddress, newestCallsQuery, readCalls, totalsQuery } from "./history-queries.ts";
import { classNames } from "../../ui/class-names.ts";
import { downloadFrom } from "../../browser/save-file.ts";
import { formatCost, formatCount, formatDuration } from "../../text/format.ts";
import { messageOf, wasCancelled } from "../../service/http.ts";
import { Icon } from "../../ui/icon.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { CallList, type ListState } from "./call-list.ts";
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
      <Calls choice={choice} list={list} onClear={() => change(noFilter)} />
    </>
  );
}

interface CallsProps {
  readonly choice: FilterChoice;
  readonly list: ReturnType<typeof useCallList>;
  readonly onClear: () => void;
}

/** Totals and calls appear together: the totals would push the calls down. */
function Calls({ choice, list, onClear }: CallsProps) {
  const { t } = useTranslation("history");
  const filter = toQuery(choice);
  const newest = useQuery(newestCallsQuery(filter));
  const totals = useQuery(totalsQuery(filter));
  const isFailed = list.state === null && newest.isError;
  if (list.state === null || totals.isPending)
    return <CallsCard>{isFailed ? <LoadFailure text={t("failure")} of={newest} /> : <SkeletonRows rows={6} />}</CallsCard>;
  const { state } = list;
  const isSome = state.calls.length > 0;
  return (
    <>
      {totals.data !== undefined && totals.data.calls > 0 && <TotalsLine filter={filter} totals={totals.data} />}
      <CallsCard>
        {isSome && (
          <NewestFirst rows={state.calls} first={newest.data?.calls[0]?.id} seen={seenAt("calls", newest)}>
            {(calls) => <CallRows state={{ ...state, calls }} onMore={list.loadMore} />}
          </NewestFirst>
        )}
        {!isSome && (countParts(choice) > 0 ? <NothingFound onClear={onClear} /> : <NoCalls />)}
      </CallsCard>
    </>
  );
}

function CallsCard({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation("history");
  return (
    <section className={classNames(cardStyles.card, styles.hist)} aria-label={t("all")}>
      {children}
    </section>
  );
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

/** Totals of the listed calls, and their download. */
function TotalsLine({ filter, totals }: { readonly filter: CallFilter; readonly totals: CallTotals }) {
  const { t } = useTranslation(["history", "common"]);
  const isFree = fromDecimalString(totals.cost) === 0n;
  return (
    <div className={classNames(styles.totals, "spread")}>
      <p className={classNames(styles.figures, "fig")} role="status">
        <span className="sr-only">{t("totals.label")}</span>
        <strong>{t("totals.calls", { count: totals.calls, formatted: formatCount(totals.calls) })}</strong>
        <span>{t("totals.answered", { count: totals.answered, formatted: formatCount(totals.answered) })}</span>
        <span>{t("totals.talked", { duration: formatDuration(totals.seconds) })}</span>
        <span>{t("totals.cost", { cost: isFree ? t("common:free") : formatCost(totals.cost) })}</span>
      </p>
      <ExportButton filter={filter} />
    </div>
  );
}

function ExportButton({ filter }: { readonly filter: CallFilter }) {
  const { t } = useTranslation("history");
  const { isPending, mutate } = useMutation({
    mutationFn: async () => downloadFrom(await exportAddress(filter)),
    onError: (error) => {
      if (!wasCancelled(error)) toast.error(messageOf(error, t("export.failure")));
    },
  });
  return (
    <Button size="sm" busy={isPending} onClick={() => mutate()}>
      {!isPending && <Icon of={IconDownload} />}
      <span>{t(isPending ? "export.busy" : "export.action")}</span>
    </Button>
  );
}

/** The loaded calls that match a filter; null until the first page has loaded. */
function useCallList(filter: CallFilter): { state: ListState | null; loadMore: () => void } {
  const { data: newest } = useQuery(newestCallsQuery(filter));
  const key = JSON.stringify(newest?.filter ?? filter);
  const list = useMemo(() => {
    const own = JSON.parse(key) as CallFilter;
    return new CallList((cursor) => readCalls(own, cursor));
  }, [key]);
  // Runs before paint so that an empty list never flashes.
  useLayoutEffect(() => {
    if (newest !== undefined) list.takeTop(newest);
  }, [list, newest]);
  const state = useSyncExternalStore(list.subscribe, list.state, list.state);
  const loadMore = useCallback(() => void list.loadMore(), [list]);
  const ready = newest !== undefined && (state.calls.length > 0 || newest.calls.length === 0);
  return { state: ready ? state : null, loadMore };
}
