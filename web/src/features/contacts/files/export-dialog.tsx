import type { ExportFormat } from "@farline/contract/contacts.ts";
import { IconAddressBook, IconTable } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { downloadFrom } from "../../../browser/save-file.ts";
import { messageOf, wasCancelled } from "../../../service/http.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { exportAddress } from "../contacts-queries.ts";
import * as styles from "./export-dialog.module.css";

/** Downloads all contacts as CSV or vCard. */
export function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(["contacts", "common"]);
  const download = useMutation({ mutationFn: downloadContacts, onSuccess: onClose });
  return (
    <Dialog open onClose={onClose} title={t("export.title")} foot={<Button onClick={onClose}>{t("common:cancel")}</Button>}>
      <p className="muted">{t("export.text")}</p>
      {download.isError && !wasCancelled(download.error) && (
        <Banner kind="error">{messageOf(download.error, t("failure.export"))}</Banner>
      )}
      <div className={styles.ctexport}>
        <Button busy={download.isPending && download.variables === "csv"} onClick={() => download.mutate("csv")}>
          <Icon of={IconTable} />
          <span>{t("export.csv")}</span>
        </Button>
        <Button busy={download.isPending && download.variables === "vcf"} onClick={() => download.mutate("vcf")}>
          <Icon of={IconAddressBook} />
          <span>{t("export.vcf")}</span>
        </Button>
      </div>
    </Dialog>
  );
}

async function downloadContacts(format: ExportFormat): Promise<void> {
  downloadFrom(await exportAddress(format));
}
