import type { Activity } from "@farline/contract/account-activity.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatDateTime } from "../../text/format.ts";
import { leftToRight } from "../../text/left-to-right.ts";
import { Card } from "../../ui/card.tsx";
import { LoadFailure } from "../../ui/empty-state.tsx";
import { Button } from "../../ui/button.tsx";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { activityQuery } from "./account-queries.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./account.module.css";
import * as rowsStyles from "../../ui/rows.module.css";

/** Recent account and sign-in events, so that users can spot sign-ins by others. */
export function ActivityCard() {
  const { t } = useTranslation("account");
  return (
    <Card title={t("activity.title")}>
      <List />
    </Card>
  );
}

function List() {
  const { t } = useTranslation(["account", "common"]);
  const list = useInfiniteQuery(activityQuery);
  if (list.data === undefined)
    return list.isError ? <LoadFailure text={t("activity.loadFailure")} of={list} /> : <SkeletonRows rows={3} />;
  const events = list.data.pages.flatMap((page) => page.data);
  if (events.length === 0) return <p className="muted">{t("activity.empty")}</p>;
  return (
    <>
      <p className={classNames(styles.lead, "muted")}>{t("activity.text")}</p>
      <ul className={rowsStyles.rows}>
        {events.map((event) => (
          <Row key={event.id} event={event} />
        ))}
      </ul>
      {list.hasNextPage && (
        <div className={styles.foot}>
          <Button wide busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t("common:showMore")}
          </Button>
        </div>
      )}
    </>
  );
}

function Row({ event }: { readonly event: Activity }) {
  const { t } = useTranslation("account");
  const { kind, subject, at, device, network } = event;
  return (
    <li className={classNames(rowsStyles.crow, styles.activity)}>
      <div>
        <p className={rowsStyles.name}>{t(`activity.kind.${kind}`)}</p>
        {subject !== null && (
          <p className={rowsStyles.meta}>
            <bdi>{subject}</bdi>
          </p>
        )}
        <p className={rowsStyles.meta}>
          <time dateTime={at}>{formatDateTime(at)}</time>
          {device !== null && (
            <>
              <span>{" · "}</span>
              <bdi>{device}</bdi>
            </>
          )}
          {network !== null && <span>{` · ${leftToRight(network)}`}</span>}
        </p>
      </div>
    </li>
  );
}
