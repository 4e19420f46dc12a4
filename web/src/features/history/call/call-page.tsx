import { shownStatus } from "@farline/contract/constants.ts";
import type { Call } from "@farline/contract/calls.ts";
import { useQuery } from "@tanstack/react-query";
import { IconArrowLeft } from "@tabler/icons-react";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router";
import { formatCost, formatDuration, formatRate, formatTimestamp } from "../../../text/format.ts";
import { callCost, endReasonKey } from "../../../text/call-outcome.ts";
import { useCallSeconds } from "../../../time/use-now.ts";
import { ApiError } from "../../../service/http.ts";
import { usePhoneText } from "../../../text/phone-text.ts";
import { useTitle } from "../../../browser/page-hooks.ts";
import { EmptyState, LoadFailure } from "../../../ui/empty-state.tsx";
import { Flag } from "../../../ui/flag.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { CallAgainLink, SaveContactLink } from "../../../ui/contact-links.tsx";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { StatusBadge } from "../../../ui/status-badge.tsx";
import { ValueList } from "../../../ui/value-list.tsx";
import { ChargeCard } from "./charge-card.tsx";
import { callDetailsQuery, callQuery } from "../history-queries.ts";
import { Quality } from "./quality-card.tsx";
import { RefundCard } from "./refund-card.tsx";
import { classNames } from "../../../ui/class-names.ts";
import * as cardStyles from "../../../ui/card.module.css";
import * as iconStyles from "../../../ui/icon.module.css";
import * as styles from "./call-page.module.css";
import { countryName } from "../../../text/i18n.ts";

export function CallPage() {
  const { t } = useTranslation("history");
  const { id = "" } = useParams();
  useTitle(t("details.title"));
  const call = useQuery(callQuery(id));
  // Malformed ids answer 422 or 400, other people's ids 404: for the reader, the call does not exist.
  const missing = call.error instanceof ApiError && [400, 404, 422].includes(call.error.status);
  if (missing) return <CallNotFound />;
  if (call.data !== undefined) return <CallDetails call={call.data} />;
  if (call.isError) return <LoadFailure text={t("callFailure")} of={call} />;
  return <SkeletonRows rows={4} />;
}

function CallNotFound() {
  const { t } = useTranslation("history");
  return (
    <EmptyState
      as="h1"
      title={t("missing.title")}
      text={t("missing.text")}
      action={
        <ButtonLink to="/history">
          <Icon of={IconArrowLeft} className={iconStyles.back} />
          <span>{t("details.back")}</span>
        </ButtonLink>
      }
    />
  );
}

function CallDetails({ call }: { readonly call: Call }) {
  const { t } = useTranslation("history");
  const { data: details } = useQuery(callDetailsQuery(call));
  const seconds = useCallSeconds(call);
  return (
    <div className={styles.cd}>
      <p className={styles.back}>
        <ButtonLink iconOnly to="/history" aria-label={t("details.back")}>
          <Icon of={IconArrowLeft} className={iconStyles.back} />
        </ButtonLink>
        <span className="t-sub">{t("details.title")}</span>
      </p>
      <Destination call={call} />
      <ValueList
        className={styles.tiles}
        of={[
          { name: t("details.cost"), value: callCost(call) ?? "–" },
          { name: t("details.rate"), value: formatRate(call.rate_per_minute) },
          { name: t("details.duration"), value: seconds === null ? "–" : formatDuration(seconds) },
        ]}
      />
      <ChargeCard call={call} entries={details?.entries} paidBy={details?.paid_by ?? null} />
      <Fold title={t("timeline.title")}>
        <Timeline call={call} />
      </Fold>
      {details !== undefined && call.answered_at !== null && (
        <Fold title={t("quality.title")}>
          <Quality quality={details.quality} />
        </Fold>
      )}
      <Technical call={call} />
      <p className="row">
        <CallAgainLink call={call} look="text" />
        <SaveContactLink call={call} look="text" />
      </p>
      {details !== undefined && <RefundCard callId={call.id} details={details} />}
      <p className="row">
        <ButtonLink to="/history">
          <Icon of={IconArrowLeft} className={iconStyles.back} />
          <span>{t("details.back")}</span>
        </ButtonLink>
        <Link className="link" to={`/cases/new?call=${call.id}`}>
          {t("details.help")}
        </Link>
      </p>
    </div>
  );
}

/** A card that opens on its title. */
function Fold({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section className={classNames(cardStyles.card, styles.fold)} aria-labelledby={id}>
      <details>
        <summary>
          <h2 id={id}>{title}</h2>
        </summary>
        {children}
      </details>
    </section>
  );
}

/** Who was called, where, and how it went. */
function Destination({ call }: { readonly call: Call }) {
  const { t } = useTranslation("history");
  const write = usePhoneText();
  const number = write(call.destination_number);
  return (
    <header className={styles.head}>
      <div>
        <h1 className="t-page fig">
          <bdi>{call.contact_name ?? number}</bdi>
        </h1>
        <p className={styles.country}>
          <Flag code={call.destination_country} size="sm" />
          {call.contact_name !== null && <span className="fig">{number}</span>}
          <span>{countryName(call.destination_country, call.destination_country_name)}</span>
        </p>
        {call.caller_number !== null && (
          <p className="muted small fig">{t("details.shown", { number: write(call.caller_number) })}</p>
        )}
      </div>
      <div className={styles.status}>
        <StatusBadge status={shownStatus(call)} />
        {call.end_reason !== null && <p className="muted small">{t(endReasonKey(call.end_reason, call))}</p>}
      </div>
    </header>
  );
}

/** The voice provider's ids, for support. Renders nothing if the call never reached the provider. */
function Technical({ call }: { readonly call: Call }) {
  const { t } = useTranslation("history");
  const { telnyx_call_control_id: controlId, telnyx_call_leg_id: legId, telnyx_cost: carrierCost } = call;
  if (controlId === null && legId === null) return null;
  return (
    <Fold title={t("technical.title")}>
      <ValueList
        className={styles.tech}
        of={[
          { name: t("technical.controlId"), value: controlId && <code dir="ltr">{controlId}</code> },
          { name: t("technical.legId"), value: legId && <code dir="ltr">{legId}</code> },
          { name: t("technical.carrierCost"), value: carrierCost && <span className="fig">{formatCost(carrierCost)}</span> },
        ]}
      />
    </Fold>
  );
}

/** When the call was started, connected, answered and ended; only the times that exist. */
function Timeline({ call }: { readonly call: Call }) {
  const { t } = useTranslation("history");
  const stops = [
    { key: "timeline.initiated", at: call.created_at },
    { key: "timeline.started", at: call.started_at },
    { key: "timeline.answered", at: call.answered_at },
    { key: "timeline.ended", at: call.ended_at },
  ] as const;
  return (
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
  );
}
