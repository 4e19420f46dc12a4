import { ERASURE_GRACE_DAYS, EXPORT_DAYS } from "@farline/contract/constants.ts";
import type { DataExport } from "@farline/contract/personal-data/export.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { userQuery } from "../../../service/queries.ts";
import { formatDate } from "../../../text/format.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { useChange } from "../../../ui/use-change.ts";
import { Loaded } from "../../../ui/waiting/loaded.tsx";
import { exportQuery, requestExport } from "../account-queries.ts";
import * as styles from "../account.module.css";

/** A copy of everything held about the customer, sent by mail. */
export function ExportCard() {
  const { t } = useTranslation("account");
  const latest = useQuery(exportQuery);
  return (
    <Card title={t("export.title")}>
      <p className={classNames(styles.lead, "muted")}>{t("export.text", { days: EXPORT_DAYS })}</p>
      <Loaded of={latest} failure={t("export.loadFailure")} rows={1}>
        {(data) => <Latest latest={data} />}
      </Loaded>
    </Card>
  );
}

function Latest({ latest }: { readonly latest: DataExport | null }) {
  const { t } = useTranslation("account");
  const { busy, failure, change } = useChange(t("export.failure"));
  return (
    <div className={styles.part}>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      {latest !== null && <Said latest={latest} />}
      {latest?.state !== "preparing" && (
        <Button busy={busy} onClick={() => void change(requestExport)}>
          {latest === null ? t("export.request") : t("export.again")}
        </Button>
      )}
    </div>
  );
}

function Said({ latest }: { readonly latest: DataExport }) {
  const { t } = useTranslation("account");
  const { data: user } = useQuery(userQuery);
  const { state, failure, expires_at: expiresAt } = latest;
  if (state === "failed")
    return (
      <Banner kind="warn">
        <span>{failure === "too_large" ? t("export.tooLarge") : t("export.broken")}</span>{" "}
        <Link className="link" to="/cases/new">
          {t("export.contact")}
        </Link>
      </Banner>
    );
  if (state === "preparing") return <Banner kind="info">{t("export.preparing")}</Banner>;
  if (state === "ready")
    return (
      <Banner kind="info">
        {t("export.ready", { email: user?.email ?? "", date: formatDate(expiresAt ?? latest.requested_at) })}
      </Banner>
    );
  return <p className="muted">{state === "downloaded" ? t("export.downloaded") : t("export.expired")}</p>;
}

/** Links to the page that deletes the account. */
export function EraseCard() {
  const { t } = useTranslation("account");
  return (
    <Card title={t("erase.cardTitle")}>
      <p className={classNames(styles.lead, "muted")}>{t("erase.cardText", { days: ERASURE_GRACE_DAYS })}</p>
      <ButtonLink to="/account/erase">{t("erase.cardLink")}</ButtonLink>
    </Card>
  );
}
