import type { Call } from "@farline/contract/calls.ts";
import { useTranslation } from "react-i18next";
import { formatTimestamp } from "../../../text/format.ts";
import { Card } from "../../../ui/card.tsx";
import * as styles from "./timeline-card.module.css";

/** When the call was started, connected, answered and ended; only the times that exist. */
export function TimelineCard({ call }: { readonly call: Call }) {
  const { t } = useTranslation("history");
  const stops = [
    { key: "timeline.initiated", at: call.created_at },
    { key: "timeline.started", at: call.started_at },
    { key: "timeline.answered", at: call.answered_at },
    { key: "timeline.ended", at: call.ended_at },
  ] as const;
  return (
    <Card title={t("timeline.title")}>
      <ol className={styles.timeline}>
        {stops.map(
          ({ key, at }) =>
            at !== null && (
              <li key={key}>
                <strong>{t(key)}</strong>
                <time className="muted fig" dateTime={at}>
                  {formatTimestamp(at)}
                </time>
              </li>
            ),
        )}
      </ol>
    </Card>
  );
}
