import type { DeviceSession } from "@farline/contract/account-access.ts";
import type { Activity } from "@farline/contract/account-activity.ts";
import { IconDeviceLaptop } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, request } from "../../service/http.ts";
import { logOutEverywhere } from "../../session/log-out.ts";
import { formatDateTime } from "../../text/format.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icon.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { Badge } from "../../ui/status-badge.tsx";
import { useChange } from "../../ui/use-change.ts";
import { Loaded, NotLoaded, ShowMore } from "../../ui/waiting/loaded.tsx";
import { deviceText } from "./account-controls.tsx";
import { activityQuery, refreshAccount, sessionsQuery } from "./account-queries.ts";
import * as rowsStyles from "../../ui/rows.module.css";
import * as styles from "./account.module.css";
import { leftToRight } from "../../text/i18n.ts";

/** Signed-in devices, with sign-out for each. */
export function DevicesCard() {
  const { t } = useTranslation("account");
  const sessions = useQuery(sessionsQuery);
  return (
    <Card title={t("devices.title")}>
      <Loaded of={sessions} failure={t("devices.loadFailure")} rows={2}>
        {(data) => <Devices sessions={data} />}
      </Loaded>
    </Card>
  );
}

function Devices({ sessions }: { readonly sessions: readonly DeviceSession[] }) {
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("devices.failure"));
  const [ending, setEnding] = useState<string | null>(null);
  const run = (what: string, action: () => Promise<void>) => {
    if (busy) return;
    setEnding(what);
    void change(action);
  };
  const isEnding = (what: string) => busy && ending === what;
  const others = sessions.some((session) => !session.current);
  return (
    <>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <ul className={rowsStyles.rows}>
        {sessions.map((session) => (
          <Device
            key={session.id}
            session={session}
            busy={isEnding(session.id)}
            onEnd={() =>
              run(session.id, async () => {
                await request("DELETE /api/sessions/:id", { params: { id: session.id } }).catch(ignoreGone);
                await refreshAccount();
                toast.success(t("devices.ended"));
              })
            }
          />
        ))}
      </ul>
      <div className={classNames(styles.foot, "row")}>
        {others && (
          <Button
            busy={isEnding("others")}
            onClick={() =>
              run("others", async () => {
                await request("DELETE /api/sessions", { query: { keep_current: "true" } });
                await refreshAccount();
                toast.success(t("devices.othersEnded"));
              })
            }
          >
            {t("devices.endOthers")}
          </Button>
        )}
        <Button busy={isEnding("all")} onClick={() => run("all", logOutEverywhere)}>
          {t("devices.endAll")}
        </Button>
      </div>
    </>
  );
}

/** A device that no longer exists counts as signed out. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}

interface DeviceProps {
  readonly session: DeviceSession;
  readonly busy: boolean;
  readonly onEnd: () => void;
}

function Device({ session, busy, onEnd }: DeviceProps) {
  const { t } = useTranslation("account");
  const { current } = session;
  const device = deviceText(session.device);
  return (
    <li className={rowsStyles.crow}>
      <Icon of={IconDeviceLaptop} />
      <div>
        <p className={rowsStyles.name}>
          <span>{device}</span>{" "}
          {current && (
            <Badge like="completed" plain>
              <span>{t("devices.current")}</span>
            </Badge>
          )}
        </p>
        <p className={rowsStyles.meta}>
          {[t("devices.seen", { when: formatDateTime(session.last_seen_at) }), session.network].filter(Boolean).join(" · ")}
        </p>
        <p className={rowsStyles.meta}>{t("devices.since", { when: formatDateTime(session.signed_in_at) })}</p>
        {session.in_call && !current && <p>{t("devices.inCall")}</p>}
      </div>
      {!current && (
        <Button size="sm" busy={busy} aria-label={t("devices.endOne", { device })} onClick={onEnd}>
          {t("devices.end")}
        </Button>
      )}
    </li>
  );
}

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
  const { t } = useTranslation("account");
  const list = useInfiniteQuery(activityQuery);
  if (list.data === undefined) return <NotLoaded of={list} failure={t("activity.loadFailure")} rows={3} />;
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
          <ShowMore of={list} />
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
            <bdi>{kind === "device_signed_out" ? deviceText(subject) : subject}</bdi>
          </p>
        )}
        <p className={rowsStyles.meta}>
          <time dateTime={at}>{formatDateTime(at)}</time>
          {device !== null && (
            <>
              <span>{" · "}</span>
              <span>{deviceText(device)}</span>
            </>
          )}
          {network !== null && <span>{` · ${leftToRight(network)}`}</span>}
        </p>
      </div>
    </li>
  );
}
