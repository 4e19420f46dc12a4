import type { AutoTopUpResponse } from "@farline/contract/auto-top-up.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { autoTopUpQuery, cardText, useCheckout } from "../../../ui/money/checkout.ts";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import * as styles from "../billing.module.css";
import { messageOf } from "../../../service/http.ts";
import { formatDateTime, formatMoney } from "../../../text/format.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { SellerLine, useSeller } from "../../../ui/money/seller-line.tsx";
import { Badge } from "../../../ui/status-badge.tsx";
import { Loaded } from "../../../ui/waiting/loaded.tsx";
import { AutoTopUpForm } from "./auto-top-up-form.tsx";
import { SavedCards } from "./saved-cards.tsx";
import { OtherTabNotice } from "../../../ui/other-tab-notice.tsx";

/** Polling interval for a newly saved card. */
const LOOK_EVERY_MS = 2_000;

/** Saved cards, and the automatic top-ups charged to them. */
export function AutoTopUp() {
  const { t } = useTranslation("billing");
  const returned = useSavedCardReturn();
  const view = useQuery({
    ...autoTopUpQuery,
    refetchInterval: ({ state }) => (returned && state.data?.cards.length === 0 ? LOOK_EVERY_MS : false),
  });
  return (
    <Card title={t("autoTopUp.title")} {...(view.data?.settings.on === true ? { aside: <Switch data={view.data} /> } : {})}>
      <p className="muted small">{t("autoTopUp.text")}</p>
      <Loaded of={view} failure={t("autoTopUp.loadFailure")} rows={2}>
        {(data) => <Content data={data} />}
      </Loaded>
    </Card>
  );
}

/** The automatic top-up's state in a word. */
export function switchOf({ settings, state }: AutoTopUpResponse): "on" | "off" | "paused" {
  if (!settings.on) return "off";
  return state.kind === "ready" || state.kind === "charging" ? "on" : "paused";
}

function Switch({ data }: { readonly data: AutoTopUpResponse }) {
  const { t } = useTranslation("billing");
  const shown = switchOf(data);
  return (
    <Badge like={shown === "on" ? "completed" : "ringing"}>
      <span>{t(`autoTopUp.${shown}`)}</span>
    </Badge>
  );
}

function Content({ data }: { readonly data: AutoTopUpResponse }) {
  const { card_id: cardId, threshold, amount, on } = data.settings;
  return (
    <div className={styles.auto}>
      <AutoTopUpState data={data} />
      <SavedCards cards={data.cards} />
      {data.cards.length > 0 && (
        // New settings reset the form; earlier input no longer applies.
        <AutoTopUpForm key={[on, cardId, threshold, amount, data.cards.length].join(" ")} data={data} />
      )}
      <SellerLine />
    </div>
  );
}

/** Whether the user returns from the page that saves a card; shows a message once the card is listed. */
function useSavedCardReturn(): boolean {
  const { t } = useTranslation("billing");
  const [search, setSearch] = useSearchParams();
  const came = search.get("card");
  const { data } = useQuery(autoTopUpQuery);
  const isThere = came === "cancelled" || (came === "saved" && (data?.cards.length ?? 0) > 0);
  useEffect(() => {
    if (!isThere) return;
    if (came === "saved") toast.success(t("autoTopUp.saved"));
    setSearch(
      (before) => {
        before.delete("card");
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  }, [isThere, came, setSearch, t]);
  return came === "saved";
}

/** Current state of the automatic top-up, or why it is paused. */
function AutoTopUpState({ data }: { readonly data: AutoTopUpResponse }) {
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
