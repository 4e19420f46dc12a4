import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatMoney } from "../../../text/format.ts";
import { messageOf, wasCancelled } from "../../../service/http.ts";
import { refreshMoney } from "../../../service/queries.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { withdraw } from "./withdraw-queries.ts";

/** One withdrawal request, including its retries. */
export interface WithdrawalRequest {
  /** Decimal dollars. */
  readonly amount: string;
  readonly requestKey: string;
}

interface WithdrawDialogProps {
  /** Null while the dialog is closed. */
  readonly request: WithdrawalRequest | null;
  readonly onClose: () => void;
}

/** Asks for confirmation, then sends the withdrawal request. */
export function WithdrawDialog({ request, onClose }: WithdrawDialogProps) {
  const { t } = useTranslation(["billing", "common"]);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<{ of: WithdrawalRequest; text: string } | null>(null);
  const shown = request === null ? "" : formatMoney(request.amount);

  async function send(sent: WithdrawalRequest): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      await withdraw(sent.amount, sent.requestKey);
      toast.success(t("withdraw.done", { amount: formatMoney(sent.amount) }));
      onClose();
      void refreshMoney();
    } catch (error) {
      if (!wasCancelled(error)) setFailure({ of: sent, text: messageOf(error, t("withdraw.failure")) });
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog
      open={request !== null}
      onClose={() => !busy && onClose()}
      title={t("withdraw.confirm", { amount: shown })}
      foot={
        <>
          <Button onClick={onClose} disabled={busy}>
            {t("withdraw.keep")}
          </Button>
          <Button pair="action" busy={busy} onClick={() => request !== null && void send(request)}>
            {busy ? t("topUp.submitting") : t("withdraw.submitAmount", { amount: shown })}
          </Button>
        </>
      }
    >
      <p>{t("withdraw.confirmText")}</p>
      {failure !== null && failure.of === request && <Banner kind="error">{failure.text}</Banner>}
    </Dialog>
  );
}
