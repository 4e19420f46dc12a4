import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../button.tsx";
import { LoadFailure } from "../empty-state.tsx";
import { formatDateTime } from "../../text/format.ts";
import { SkeletonRows } from "./skeleton.tsx";
import * as styles from "./skeleton.module.css";

interface LoadedProps<Data> {
  readonly of: {
    readonly data: Data | undefined;
    readonly isError: boolean;
    readonly error: unknown;
    readonly isFetching: boolean;
    readonly refetch: () => unknown;
  };
  /** What could not be loaded. */
  readonly failure: string;
  /** How many rows stand in for the content while it loads. */
  readonly rows: number;
  readonly children: (data: Data) => ReactNode;
}

/** The content of a query; until it is there placeholder rows, or why it failed with a Retry button. */
export function Loaded<Data>({ of, failure, rows, children }: LoadedProps<Data>) {
  if (of.data !== undefined) return children(of.data);
  return of.isError ? <LoadFailure text={failure} of={of} /> : <SkeletonRows rows={rows} />;
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

/** Says over the page that a list is not the true one yet, but as it was last seen. Nothing moves when it goes. @param at an instant; null when it is true */
export function LastSeen({ at }: { readonly at: string | null }) {
  const { t } = useTranslation();
  return (
    <p className={styles.seen} role="status">
      {at === null ? "" : t("lastUpdated", { when: formatDateTime(at) })}
    </p>
  );
}
