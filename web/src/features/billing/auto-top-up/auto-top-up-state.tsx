import type { AutoTopUpResponse } from "@farline/contract/auto-top-up.ts";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDateTime, formatMoney } from "../../../text/format.ts";
import { messageOf } from "../../../service/http.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Button } from "../../../ui/button.tsx";
import { useSeller } from "../../../ui/money/seller-line.tsx";
import { OtherTabNotice } from "../../../ui/other-site/other-tab-notice.tsx";
import { cardText } from "../top-up/card-text.ts";
import { useCheckout } from "../top-up/use-checkout.ts";
import * as styles from "../billing.module.css";

/** Current state of the automatic top-up, or why it is paused. */
export function AutoTopUpState({ data }: { readonly data: AutoTopUpResponse }) {
  const { state } = data;
  if (state.kind === "off") return null;
  return (
    <>
      {state.kind === "ready" && <Ready data={data} />}
      {state.kind === "charging" && <Charging data={data} />}
      {state.kind === "waiting" && <Waiting state={state} />}
      {state.kind === "stopped" && <Stopped data={data} reason={state.reason} />}
      <LastCharge last={data.last} />
    </>
  );
}

function Ready({ data: { cards, settings } }: { readonly data: AutoTopUpResponse }) {
  const { t } = useTranslation("billing");
  const card = cards.find(({ id }) => id === settings.card_id);
  return (
    <p className={styles.autoState} role="status">
      {t("autoTopUp.ready", {
        amount: formatMoney(settings.amount),
        threshold: formatMoney(settings.threshold),
        card: card === undefined ? "" : cardText(card),
      })}
    </p>
  );
}

function Charging({ data: { last, settings } }: { readonly data: AutoTopUpResponse }) {
  const { t } = useTranslation("billing");
  return <Banner kind="info">{t("autoTopUp.charging", { amount: formatMoney(last?.amount ?? settings.amount) })}</Banner>;
}

function Waiting({ state }: { readonly state: Extract<AutoTopUpResponse["state"], { kind: "waiting" }> }) {
  const { t } = useTranslation("billing");
  return (
    <Banner kind="info">
      {[
        t(`autoTopUp.waiting.${state.reason}`),
        ...(state.until === null ? [] : [t("autoTopUp.until", { when: formatDateTime(state.until) })]),
      ].join(" ")}
    </Banner>
  );
}

/** A bank that requires authentication asks for it on the provider's page. */
function Stopped({
  data: { settings },
  reason,
}: {
  readonly data: AutoTopUpResponse;
  readonly reason: Extract<AutoTopUpResponse["state"], { kind: "stopped" }>["reason"];
}) {
  const { t } = useTranslation("billing");
  const [failure, setFailure] = useState<string | null>(null);
  const seller = useSeller();
  const { busy, tab, checkOut } = useCheckout((error) => setFailure(messageOf(error, t("checkoutFailure"))));
  return (
    <>
      <Banner kind="warn">
        <p>
          <b>{t("autoTopUp.stoppedTitle")}</b>
        </p>
        <p>{t(`autoTopUp.stopped.${reason}`)}</p>
      </Banner>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <OtherTabNotice tab={tab} />
      <div>
        <Button
          pair="credit"
          busy={busy}
          disabled={seller === undefined}
          onClick={() => {
            setFailure(null);
            void checkOut({ endpoint: "POST /api/billing/top-up", body: { amount: settings.amount } });
          }}
        >
          {t("autoTopUp.payNow", { amount: formatMoney(settings.amount) })}
        </Button>
      </div>
    </>
  );
}

function LastCharge({ last }: Pick<AutoTopUpResponse, "last">) {
  const { t } = useTranslation("billing");
  if (last === null || last.status === "charging") return null;
  const values = { amount: formatMoney(last.amount), when: formatDateTime(last.at) };
  return <p className="muted small">{t(last.status === "paid" ? "autoTopUp.lastPaid" : "autoTopUp.lastFailed", values)}</p>;
}
