import { type ComponentProps, type MouseEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../button.tsx";
import { LoadFailure } from "../empty-state.tsx";
import { formatDateTime } from "../../text/format.ts";
import { SkeletonRows } from "./skeleton.tsx";
import * as styles from "./skeleton.module.css";

interface NotLoadedProps {
  readonly of: ComponentProps<typeof LoadFailure>["of"] & { readonly isError: boolean };
  /** What could not be loaded. */
  readonly failure: string;
  /** How many rows stand in for the content while it loads. */
  readonly rows: number;
}

/** In place of a query's content: placeholder rows, or why it failed with a Retry button. */
export function NotLoaded({ of, failure, rows }: NotLoadedProps) {
  return of.isError ? <LoadFailure text={failure} of={of} /> : <SkeletonRows rows={rows} />;
}

interface LoadedProps<Data> extends NotLoadedProps {
  readonly of: NotLoadedProps["of"] & { readonly data: Data | undefined };
  readonly children: (data: Data) => ReactNode;
}

/** The content of a query, once it is there. */
export function Loaded<Data>({ children, ...query }: LoadedProps<Data>) {
  return query.of.data === undefined ? <NotLoaded {...query} /> : children(query.of.data);
}

interface ShowMoreProps {
  readonly of: { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean; readonly fetchNextPage: () => unknown };
}

/** Loads a list's next page; renders nothing after the last. */
export function ShowMore({ of: { hasNextPage, isFetchingNextPage, fetchNextPage } }: ShowMoreProps) {
  const { t } = useTranslation();
  if (!hasNextPage) return null;
  return (
    <Button wide busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      {t("showMore")}
    </Button>
  );
}

interface LastSeenProps {
  /** An instant; null when the list is the true one. */
  readonly at: string | null;
  /** What then stands in the same place. */
  readonly children?: ReactNode;
}

/** Says over the page that a list is not the true one yet, but as it was last seen. Nothing moves when it goes. */
export function LastSeen({ at, children }: LastSeenProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.seen} role="status">
      {at === null ? children : <span className={styles.seenAt}>{t("lastUpdated", { when: formatDateTime(at) })}</span>}
    </div>
  );
}

interface NewestFirstProps<Row> {
  readonly rows: readonly Row[];
  /** The newest row's id, which `rows` may not have yet. */
  readonly first: string | undefined;
  /** When the rows were last seen, an instant; null once they are true. */
  readonly seen: string | null;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

/** A list with its newest row first. Rows newer than those last seen wait for a press: nothing slides away under the reader's finger. */
export function NewestFirst<Row extends { readonly id: string }>({ rows, first, seen, children }: NewestFirstProps<Row>) {
  const { t } = useTranslation();
  const [top, setTop] = useState(seen === null ? undefined : first);
  if (seen === null && top !== undefined && top === first) setTop(undefined);
  const newer = rows.findIndex(({ id }) => id === top);
  const show = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    const list = currentTarget.closest("section");
    const from = list?.getBoundingClientRect().top ?? 0;
    // A list need not be the first on its page.
    if (from < 0 || from > window.innerHeight) list?.scrollIntoView();
    setTop(undefined);
  };
  return (
    <>
      <LastSeen at={seen}>
        {newer > 0 && (
          <Button size="sm" pair="action" className={styles.newer} onClick={show}>
            {t("showNewer")}
          </Button>
        )}
      </LastSeen>
      {children(newer > 0 ? rows.slice(newer) : rows)}
    </>
  );
}
