import { shownStatus } from "@farline/contract/constants.ts";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { formatDateTime, formatDuration, formatRatePerMinute } from "../../text/format.ts";
import { callCost } from "../../text/call-outcome.ts";
import { useCallSeconds } from "../../time/use-now.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { Called } from "../../ui/called.tsx";
import { Flag } from "../../ui/flag.tsx";
import { Button, Spinner } from "../../ui/button.tsx";
import { CallAgainLink, SaveContactLink } from "../../ui/contact-links.tsx";
import { StatusBadge, StatusTile } from "../../ui/status-badge.tsx";
import type { ListedCall, ListState } from "./call-list.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./history-page.module.css";
import * as rowsStyles from "../../ui/rows.module.css";
import { countryName } from "../../text/i18n.ts";

/** Estimated row height in pixels: on desktops, and where a row has three lines. */
const ROW_WIDE_PX = 81;
const ROW_NARROW_PX = 84;
/** The number beneath a name; a wide row has room for it. */
const NUMBER_NARROW_PX = 21;
const WIDE = "(min-width: 64rem)";
/** Rows positioned as one block. Positions are recalculated whenever more calls are loaded, for up to 100,000 calls. */
const BLOCK_ROWS = 10;
/** Blocks drawn beyond the window on each side. */
const OVERSCAN = 1;
/** Distance from the end at which the next page loads. */
const LOAD_AHEAD_ROWS = 60;

/** A virtualised list: only visible rows are in the DOM. */
export function CallRows({ state, onMore }: { readonly state: ListState; readonly onMore: () => void }) {
  const { calls, hasMore, failed } = state;
  const write = usePhoneText();
  const list = useRef<HTMLDivElement>(null);
  const top = useTopOf(list);
  const [isWide] = useState(() => window.matchMedia(WIDE).matches);
  const rowsOf = (block: number): readonly ListedCall[] => calls.slice(block * BLOCK_ROWS, (block + 1) * BLOCK_ROWS);
  // oxlint-disable-next-line react/incompatible-library -- its functions stay in this component
  const virtual = useWindowVirtualizer({
    count: Math.ceil(calls.length / BLOCK_ROWS),
    estimateSize: (block) => rowsOf(block).reduce((px, call) => px + estimateRow(call, isWide), 0),
    overscan: OVERSCAN,
    // Split rendering and layout into two tasks so that they don't block the main thread.
    useFlushSync: false,
    scrollMargin: top,
  });
  const blocks = virtual.getVirtualItems();
  const shown = ((blocks.at(-1)?.index ?? 0) + 1) * BLOCK_ROWS;
  const wanted = hasMore && !failed && shown >= calls.length - LOAD_AHEAD_ROWS;
  useEffect(() => {
    if (wanted) onMore();
  }, [wanted, onMore, calls.length]);
  return (
    <div className={styles.hrows}>
      <Head />
      <div
        className={classNames(rowsStyles.rows, styles.vrows)}
        role="list"
        ref={list}
        style={{ height: virtual.getTotalSize() }}
      >
        {blocks.map(({ index: block, start }) => (
          <div
            key={block}
            className={styles.block}
            role="presentation"
            data-index={block}
            ref={virtual.measureElement}
            style={{ transform: `translateY(${start - top}px)` }}
          >
            {rowsOf(block).map((call, row) => (
              <div
                key={call.id}
                className={styles.row}
                role="listitem"
                aria-setsize={hasMore ? -1 : calls.length}
                aria-posinset={block * BLOCK_ROWS + row + 1}
              >
                <Row call={call} number={write(call.destination_number)} />
                <div className={styles.actions}>
                  <CallAgainLink call={call} look="icon" />
                  <SaveContactLink call={call} look="icon" />
                </div>
              </div>
            ))}
          </div>
        ))}
      </div>
      {hasMore && <More failed={failed} onMore={onMore} />}
    </div>
  );
}

function estimateRow({ contact_name: name }: ListedCall, isWide: boolean): number {
  if (isWide) return ROW_WIDE_PX;
  return ROW_NARROW_PX + (name === null ? 0 : NUMBER_NARROW_PX);
}

/** The end of the list while there is more to load. */
function More({ failed, onMore }: { readonly failed: boolean; readonly onMore: () => void }) {
  const { t } = useTranslation(["history", "common"]);
  if (!failed)
    return (
      <p className={styles.more} role="status">
        <Spinner />
        <span>{t("more")}</span>
      </p>
    );
  return (
    <div className={classNames(styles.more, styles.moreFailed)}>
      <Banner kind="error">{t("moreFailure")}</Banner>
      <Button onClick={onMore}>{t("common:tryAgain")}</Button>
    </div>
  );
}

/** Offset of the list on the page, in pixels: the content above it may change height. */
function useTopOf(list: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => {
      if (list.current !== null) setTop(Math.round(list.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    if (typeof ResizeObserver === "undefined") return undefined;
    const watch = new ResizeObserver(measure);
    for (const element of document.querySelectorAll("main > *, body > *, #root > *")) watch.observe(element);
    return () => watch.disconnect();
  }, [list]);
  return top;
}

/** Column headings for sighted readers; for screen readers each row is a sentence. */
function Head() {
  const { t } = useTranslation("history");
  return (
    <div className={classNames(styles.hrow, styles.head)} aria-hidden="true">
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

/** One call. The whole row links to its details. */
const Row = memo(function Row({ call, number }: { readonly call: ListedCall; readonly number: string }) {
  const status = shownStatus(call);
  const seconds = useCallSeconds(call);
  // Of a call that nobody answered, no money is said.
  const isPriced = call.ended_at === null || call.answered_at !== null;
  return (
    <Link className={classNames(rowsStyles.crow, styles.hrow)} to={`/call/${call.id}`}>
      <StatusTile status={status} />
      <span className={classNames(styles.who, rowsStyles.name)}>
        <Called name={call.contact_name} number={number} />
      </span>
      <span className={styles.facts}>
        <span className={styles.country}>
          <Flag code={call.destination_country} size="sm" />
          <span>{countryName(call.destination_country, call.destination_country_name)}</span>
        </span>
        <time className={styles.date} dateTime={call.created_at}>
          {formatDateTime(call.created_at)}
        </time>
      </span>
      <span className={styles.facts}>
        <span className={styles.length}>{seconds !== null && formatDuration(seconds)}</span>
        <span>
          <StatusBadge status={status} quiet={status === "completed"} />
        </span>
      </span>
      <span className={classNames(styles.cost, rowsStyles.sum)}>
        <span>{callCost(call)}</span>
        {isPriced && <span className={rowsStyles.meta}>{formatRatePerMinute(call.rate_per_minute)}</span>}
      </span>
    </Link>
  );
});
