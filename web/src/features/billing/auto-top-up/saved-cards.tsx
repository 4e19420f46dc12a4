import type { SavedCard } from "@farline/contract/auto-top-up.ts";
import { IconCreditCard } from "@tabler/icons-react";
import { useState } from "react";
import { cardText } from "../../../ui/money/checkout.ts";
import { useTranslation } from "react-i18next";
import { useOnline } from "../../../browser/page-hooks.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useSeller } from "../../../ui/money/seller-line.tsx";
import { useChange } from "../../../ui/use-change.ts";
import { orderCardPage, removeCard } from "../billing-queries.ts";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as rowsStyles from "../../../ui/rows.module.css";
import * as styles from "../billing.module.css";
import { leftToRight } from "../../../text/i18n.ts";
import { OtherTabNotice } from "../../../ui/other-tab-notice.tsx";
import { useOtherSite } from "../../../browser/open-tab.ts";

/** Saved cards, with a button to add one. */
export function SavedCards({ cards }: { readonly cards: readonly SavedCard[] }) {
  const { t } = useTranslation("billing");
  const online = useOnline();
  const saving = useChange(t("autoTopUp.saveFailure"));
  const [leaving, setLeaving] = useState<SavedCard | null>(null);
  const site = useOtherSite();
  const seller = useSeller();
  return (
    <>
      {cards.length > 0 && (
        <ul className={rowsStyles.rows} aria-label={t("autoTopUp.cards")}>
          {cards.map((card) => (
            <li key={card.id} className={styles.savedCard}>
              <Icon of={IconCreditCard} />
              <span>
                <b>{cardText(card)}</b>
                <br />
                <span className={card.expired ? styles.expired : rowsStyles.meta}>
                  {t(card.expired ? "autoTopUp.expired" : "autoTopUp.expires", { date: expiry(card) })}
                </span>
              </span>
              <Button aria-label={t("autoTopUp.removeCard", { card: cardText(card) })} onClick={() => setLeaving(card)}>
                {t("autoTopUp.remove")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {saving.failure !== null && <Banner kind="error">{saving.failure}</Banner>}
      <OtherTabNotice tab={site.tab} />
      <div>
        <Button
          busy={site.busy}
          disabled={!online || seller === undefined}
          onClick={() => void saving.change(() => site.go(orderCardPage, true))}
        >
          {cards.length === 0 ? t("autoTopUp.saveCard") : t("autoTopUp.saveAnother")}
        </Button>
      </div>
      <p className={fieldStyles.hint}>{online ? t("autoTopUp.saveHint") : t("offlineReason")}</p>
      <RemoveDialog card={leaving} onClose={() => setLeaving(null)} />
    </>
  );
}

function RemoveDialog({ card, onClose }: { readonly card: SavedCard | null; readonly onClose: () => void }) {
  const { t } = useTranslation(["billing", "common"]);
  const { busy, failure, change } = useChange(t("autoTopUp.removeFailure"));
  const shown = card === null ? "" : cardText(card);

  async function remove(): Promise<void> {
    if (card === null) return;
    const done = await change(() => removeCard(card.id));
    if (!done) return;
    toast.success(t("autoTopUp.removed"));
    onClose();
  }

  return (
    <Dialog
      open={card !== null}
      onClose={() => !busy && onClose()}
      title={t("autoTopUp.removeTitle", { card: shown })}
      foot={
        <>
          <Button onClick={onClose} disabled={busy}>
            {t("common:cancel")}
          </Button>
          <Button pair="action" busy={busy} onClick={() => void remove()}>
            {t("autoTopUp.remove")}
          </Button>
        </>
      }
    >
      <p>{t("autoTopUp.removeText")}</p>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
    </Dialog>
  );
}

/** "12/2034", as printed on the card. */
export function expiry({ exp_month: month, exp_year: year }: SavedCard): string {
  return leftToRight(`${String(month).padStart(2, "0")}/${year}`);
}
