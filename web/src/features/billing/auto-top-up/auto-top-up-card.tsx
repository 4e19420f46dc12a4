import type { AutoTopUpResponse } from "@farline/contract/auto-top-up.ts";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useSearchParams } from "react-router";
import { Card } from "../../../ui/card.tsx";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { SellerLine } from "../../../ui/money/seller-line.tsx";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { autoTopUpQuery } from "./auto-top-up-queries.ts";
import { AutoTopUpForm } from "./auto-top-up-form.tsx";
import { AutoTopUpState } from "./auto-top-up-state.tsx";
import { SavedCards } from "./auto-top-up-cards.tsx";
import { Badge } from "../../../ui/status-badge.tsx";
import * as styles from "../billing.module.css";

/** Polling interval for a newly saved card. */
const LOOK_EVERY_MS = 2_000;

/** Saved cards, and the automatic top-ups charged to them. */
export function AutoTopUp() {
  const { t } = useTranslation("billing");
  const returned = useSavedCardReturn();
  const place = useScrollTo("#auto-top-up");
  const view = useQuery({
    ...autoTopUpQuery,
    refetchInterval: ({ state }) => (returned && state.data?.cards.length === 0 ? LOOK_EVERY_MS : false),
  });
  return (
    <>
      <span ref={place} />
      <Card title={t("autoTopUp.title")} {...(view.data?.settings.on === true ? { aside: <Switch data={view.data} /> } : {})}>
        <p className="muted small">{t("autoTopUp.text")}</p>
        {view.data !== undefined ? (
          <Content data={view.data} />
        ) : view.isError ? (
          <LoadFailure text={t("autoTopUp.loadFailure")} of={view} />
        ) : (
          <SkeletonRows rows={2} />
        )}
      </Card>
    </>
  );
}

/** Scrolls to the element whose id is the address's fragment. */
function useScrollTo(name: string): RefObject<HTMLSpanElement | null> {
  const place = useRef<HTMLSpanElement>(null);
  const { hash } = useLocation();
  useEffect(() => {
    if (hash === name) place.current?.scrollIntoView();
  }, [hash, name]);
  return place;
}

function Switch({ data: { state } }: { readonly data: AutoTopUpResponse }) {
  const { t } = useTranslation("billing");
  const works = state.kind === "ready" || state.kind === "charging";
  return (
    <Badge like={works ? "completed" : "ringing"}>
      <span>{works ? t("autoTopUp.on") : t("autoTopUp.paused")}</span>
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
