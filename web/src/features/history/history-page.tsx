import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { CallFilter, CallTotals } from "@farline/contract/call-history.ts";
import { IconDownload } from "@tabler/icons-react";
import { useCallback, useLayoutEffect, useMemo, useState, useSyncExternalStore } from "react";
import { useTitle } from "../../browser/page-hooks.ts";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { seenAt } from "../../service/last-seen.ts";
import { LastSeen } from "../../ui/waiting/loaded.tsx";
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
  const newest = useQuery(newestCallsQuery(toQuery(choice)));
  if (list.state === null) return newest.isError ? <LoadFailure text={t("failure")} of={newest} /> : <SkeletonRows rows={6} />;
  if (list.state.calls.length > 0)
    return (
      <>
        <LastSeen at={seenAt("calls", newest)} />
        <CallRows state={list.state} onMore={list.loadMore} />
      </>
    );
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

const NO_CALLS: CallTotals = { calls: 0, answered: 0, seconds: 0, cost: "0" };

/** Totals of the listed calls, and their download. They have their place before they are there, so that the list does not move. */
function TotalsLine({ filter }: { readonly filter: CallFilter }) {
  const { t } = useTranslation("history");
  const { data: totals = NO_CALLS, isPending } = useQuery(totalsQuery(filter));
  if (totals.calls === 0 && !isPending) return null;
  return (
    <div className={classNames(styles.totals, isPending && styles.pending, "spread")}>
      <p className={classNames(styles.figures, "fig")} role="status">
        <span className="sr-only">{t("totals.label")}</span>
        <strong>{t("totals.calls", { count: totals.calls, formatted: formatCount(totals.calls) })}</strong>
        <span>{t("totals.answered", { count: totals.answered, formatted: formatCount(totals.answered) })}</span>
        <span>{t("totals.talked", { duration: formatDuration(totals.seconds) })}</span>
        <span>{t("totals.cost", { cost: formatCost(totals.cost) })}</span>
      </p>
      <ExportButton filter={filter} />
    </div>
  );
}

function ExportButton({ filter }: { readonly filter: CallFilter }) {
  const { t } = useTranslation("history");
  const [busy, setBusy] = useState(false);
  const download = async (): Promise<void> => {
    setBusy(true);
    try {
      downloadFrom(await exportAddress(filter));
    } catch (error) {
      if (!wasCancelled(error)) toast.error(messageOf(error, t("export.failure")));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button size="sm" busy={busy} onClick={() => void download()}>
      {!busy && <Icon of={IconDownload} />}
      <span>{t(busy ? "export.busy" : "export.action")}</span>
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
