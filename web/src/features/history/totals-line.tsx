import type { CallFilter } from "@farline/contract/call-history.ts";
import { useQuery } from "@tanstack/react-query";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { downloadFrom } from "../../browser/save-file.ts";
import { formatCost, formatCount, formatDuration } from "../../text/format.ts";
import { messageOf, wasCancelled } from "../../service/http.ts";
import { Icon } from "../../ui/icon.tsx";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { exportAddress, totalsQuery } from "./history-queries.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./totals-line.module.css";

/** Totals of the listed calls, and their download. */
export function TotalsLine({ filter }: { readonly filter: CallFilter }) {
  const { t } = useTranslation("history");
  const { data: totals } = useQuery(totalsQuery(filter));
  if (totals === undefined || totals.calls === 0) return null;
  return (
    <div className={styles.htotals}>
      <p className={classNames(styles.facts, "fig")} role="status">
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
