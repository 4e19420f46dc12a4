import type { SavedCard } from "@farline/contract/auto-top-up.ts";
import type { CreditPackage } from "@farline/contract/billing.ts";
import type { ExtendResponse } from "@farline/contract/calls.ts";
import { fromDecimalString, parseDollars, toDecimalString } from "@farline/domain/money.ts";
import { IconCircleCheckFilled, IconExternalLink, IconPhoneFilled } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { openInTab } from "../../../browser/open-tab.ts";
import type { PhoneCall } from "../../../phone/phone-state.ts";
import { messageOf, request } from "../../../service/http.ts";
import { balanceQuery } from "../../../service/queries.ts";
import { formatCost, formatMinutes, formatRatePerMinute, formatTimer, formatWholeDollars } from "../../../text/format.ts";
import { after } from "../../../time/timers.ts";
import { Button, Spinner } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { autoTopUpQuery, cardText, packagesQuery, useOrder } from "../../../ui/money/checkout.ts";
import { SellerLine, useSeller } from "../../../ui/money/seller-line.tsx";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { EXTENDED, phone } from "../phone-session.ts";
import { costSoFar, creditLeft } from "./call-facts.ts";
import * as buttonStyles from "../../../ui/button.module.css";
import * as dialogStyles from "../../../ui/dialogs/dialog.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as iconStyles from "../../../ui/icon.module.css";
import * as styles from "../dialer-parts.module.css";

/** Requesting the balance also settles open payments (see the contract), so the credit appears as soon as it arrives. */
const LOOK_EVERY_MS = 3000;

interface CallTopUpProps {
  readonly open: boolean;
  readonly call: PhoneCall;
  readonly onClose: () => void;
}

/** Buys credit during the call, and shows by how much the call was extended. */
export default function CallTopUp({ open, call, onClose }: CallTopUpProps) {
  const { t } = useTranslation(["dialer-parts", "dialer", "billing"]);
  const payment = usePayment(open);
  return (
    <Dialog open={open} onClose={onClose} title={t("topUp.title")}>
      <TopUp call={call} payment={payment} onClose={onClose} />
    </Dialog>
  );
}

interface TopUpProps extends Omit<CallTopUpProps, "open"> {
  readonly payment: ReturnType<typeof usePayment>;
}

function TopUp({ call, payment: { state, problem, pay, again }, onClose }: TopUpProps) {
  const { t } = useTranslation(["dialer-parts", "dialer", "billing"]);
  const isOpen = state.step === "paying" || state.step === "charging";
  const { data: balance } = useQuery({ ...balanceQuery, refetchInterval: isOpen ? LOOK_EVERY_MS : false });
  const gained = useGainedSeconds(call);
  const outcome = useExtension(call, balance?.balance);
  useEffect(() => {
    if (gained > 0) toast.dismiss(EXTENDED);
  }, [gained]);
  const done = gained > 0 || (outcome !== null && outcome !== "extended");
  return (
    <div className={classNames(styles.topup, "stack")}>
      <CreditEnds call={call} />
      <div role="status">
        {gained > 0 && (
          <p className={styles.gain}>
            <Icon of={IconCircleCheckFilled} />
            <span>{t("topUp.gained", { minutes: formatMinutes(Math.floor(gained / 60)) })}</span>
          </p>
        )}
        {gained === 0 && outcome !== null && outcome !== "extended" && (
          <Banner kind="info">{t(`topUp.outcome.${outcome}`)}</Banner>
        )}
        {isOpen && !done && problem === null && (
          <p className="row">
            <Spinner />
            <span>{t(state.step === "charging" ? "topUp.charging" : state.blocked ? "topUp.blocked" : "topUp.waiting")}</span>
          </p>
        )}
      </div>
      {problem !== null && <Banner kind="error">{problem}</Banner>}
      {state.step === "paying" && (
        <a className={classNames(buttonStyles.btn, buttonStyles.wide)} href={state.url} target="_blank" rel="noreferrer">
          <span>{t("topUp.openPage")}</span>
          <Icon of={IconExternalLink} />
        </a>
      )}
      {(!isOpen || (state.step === "charging" && problem !== null)) && (
        <Offers call={call} busyWith={state.step === "opening" ? state.packageId : null} onPay={pay} />
      )}
      <div className={classNames(dialogStyles.foot, styles.foot)}>
        {isOpen && done && <Button onClick={again}>{t("topUp.again")}</Button>}
        <Button pair={done ? "action" : "quiet"} onClick={onClose}>
          {t("topUp.back")}
        </Button>
        <Button data-hang-up pair="end" onClick={() => phone.hangUp()}>
          <Icon of={IconPhoneFilled} className={iconStyles.down} />
          <span>{t("dialer:call.hangUp")}</span>
        </Button>
      </div>
      {/* Last, so that no button leaves a small screen. */}
      {!isOpen && <SellerLine />}
    </div>
  );
}

/** The time until the call's hold ends, and what is left of the hold: not the balance, which still contains it. */
function CreditEnds({ call }: { readonly call: PhoneCall }) {
  const { t } = useTranslation(["dialer-parts", "dialer"]);
  const left = creditLeft(call);
  if (left === null || call.record === null) return null;
  const { max_seconds: maxSeconds, rate_per_minute: rate, free_up_to: free } = call.record;
  const held = fromDecimalString(costSoFar({ ...call, elapsedSeconds: maxSeconds }).cost);
  const rest = held - fromDecimalString(costSoFar(call).cost);
  return (
    <div className={styles.ends}>
      <p>
        <span className="muted small">{t("topUp.endsIn")}</span>{" "}
        <strong className={styles.endsTime} role="timer">
          {formatTimer(left.secondsLeft)}
        </strong>
      </p>
      <p className="muted small fig">
        {free === undefined && <span>{t("topUp.left", { amount: formatCost(toDecimalString(rest > 0n ? rest : 0n)) })}</span>}{" "}
        <span>{formatRatePerMinute(rate)}</span>
      </p>
    </div>
  );
}

interface OffersProps {
  readonly call: PhoneCall;
  readonly busyWith: string | null;
  readonly onPay: (packageId: string, card: SavedCard | null) => Promise<void>;
}

/** The packages, in minutes of this call. A saved card pays with one press, otherwise the provider's page opens in another tab. */
function Offers({ call, busyWith, onPay }: OffersProps) {
  const { t } = useTranslation(["dialer-parts", "dialer", "billing"]);
  const { data: packages, isPending, error, isFetching, refetch } = useQuery(packagesQuery);
  const wallet = useQuery(autoTopUpQuery);
  const cards = (wallet.data?.cards ?? []).filter((card) => !card.expired);
  const late = useLate(wallet.isPending);
  const [cardId, setCardId] = useState<string | null>(null);
  const card = cards.find(({ id }) => id === cardId) ?? (cardId === null && !late ? cards[0] : undefined) ?? null;
  const seller = useSeller();
  const id = useId();
  // Not before the saved cards are known: a button must not change what its press does.
  if (isPending || (wallet.isPending && !late)) return <SkeletonRows rows={2} />;
  if (packages === undefined) return <LoadFailure text={t("topUp.packagesFailure")} of={{ error, isFetching, refetch }} />;
  return (
    <>
      <div className={styles.payWith}>
        <label htmlFor={cards.length > 0 ? id : undefined}>{t("topUp.add")}</label>
        {cards.length > 0 && (
          <select
            id={id}
            className={fieldStyles.select}
            value={card?.id ?? ""}
            disabled={busyWith !== null}
            onChange={(event) => setCardId(event.target.value)}
          >
            {cards.map((saved) => (
              <option key={saved.id} value={saved.id}>
                {cardText(saved)}
              </option>
            ))}
            <option value="">{t("billing:payWith.newWay")}</option>
          </select>
        )}
      </div>
      <ul className={styles.packs}>
        {packages.map((offer) => (
          <li key={offer.id}>
            <Button
              pair="credit"
              wide
              busy={busyWith === offer.id}
              disabled={seller === undefined || (busyWith !== null && busyWith !== offer.id)}
              onClick={() => {
                if (busyWith === null) void onPay(offer.id, card);
              }}
            >
              <span>
                <span>{t("topUp.pay", { amount: formatWholeDollars(offer.amount) })}</span>
                <OfferGives offer={offer} rate={call.record?.rate_per_minute} />
              </span>
            </Button>
          </li>
        ))}
      </ul>
      <p className="muted small">{t(card === null ? "topUp.text" : "topUp.onePress")}</p>
    </>
  );
}

/** The service asks the card provider for saved cards; a call that is about to end cannot wait longer for the answer. */
const CARDS_WAIT_MS = 3000;

function useLate(isPending: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => (isPending ? after(CARDS_WAIT_MS, () => setLate(true)) : undefined), [isPending]);
  return late;
}

/** "+ 271 min, 5% free", at the call's own rate. */
function OfferGives({ offer, rate }: { readonly offer: CreditPackage; readonly rate: string | undefined }) {
  const { t } = useTranslation(["dialer-parts", "billing"]);
  const price = fromDecimalString(rate ?? "0.00");
  const credit = parseDollars(offer.total_credits) ?? 0n;
  const parts = [
    ...(price > 0n ? [t("topUp.plus", { minutes: formatMinutes(Number(credit / price)) })] : []),
    ...(offer.bonus_percentage > 0 ? [t("billing:topUp.free", { percent: offer.bonus_percentage })] : []),
  ];
  return parts.length === 0 ? null : <small className={styles.get}>{parts.join(", ")}</small>;
}

/** Seconds by which the call's limit has grown since this was opened. */
function useGainedSeconds({ record }: PhoneCall): number {
  const now = record?.max_seconds ?? 0;
  const [first] = useState(now);
  return Math.max(0, now - first);
}

type Outcome = ExtendResponse["outcome"];

/** Once there is more credit than at the start, asks the service to extend the running call. Null until then. */
function useExtension({ callId }: PhoneCall, balance: string | undefined): Outcome | null {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const known = useRef(balance);
  useEffect(() => {
    if (balance === undefined || callId === null) return;
    known.current ??= balance;
    if (fromDecimalString(balance) <= fromDecimalString(known.current)) return;
    known.current = balance;
    // The credit extends the call by itself; this request reports the result. If it fails, the displayed limit shows it.
    request("POST /api/calls/:id/extend", { params: { id: callId } }).then(
      (response) => setOutcome(response.outcome),
      () => undefined,
    );
  }, [balance, callId]);
  return outcome;
}

type Payment =
  | { readonly step: "choose" }
  | { readonly step: "opening"; readonly packageId: string }
  /** The card provider's page is open in its own tab, or was blocked: the user then opens `url`. */
  | { readonly step: "paying"; readonly url: string; readonly blocked: boolean }
  /** A saved card is charged without another page. */
  | { readonly step: "charging"; readonly paymentId: string }
  | { readonly step: "failed"; readonly error: unknown };

/**
 * Pays for a package without leaving the page with the call. A payment that may still go through outlasts the sheet, so that nobody who
 * opens it again pays twice.
 */
function usePayment(isShown: boolean) {
  const { t } = useTranslation(["dialer-parts", "billing"]);
  const [state, setState] = useState<Payment>({ step: "choose" });
  const { order } = useOrder();
  const paymentId = state.step === "charging" ? state.paymentId : "";
  const { data: charge } = useQuery({
    queryKey: ["payment", { payment_id: paymentId }],
    queryFn: ({ signal }) => request("POST /api/billing/confirm", { signal, body: { payment_id: paymentId } }),
    enabled: paymentId !== "",
    refetchInterval: (query) => (query.state.data?.status === "open" || query.state.data === undefined ? LOOK_EVERY_MS : false),
    retry: false,
    staleTime: 0,
  });
  const isUndecided = state.step === "opening" || (state.step === "charging" && (charge?.status ?? "open") === "open");
  if (!isShown && state.step !== "choose" && !isUndecided) setState({ step: "choose" });

  /** Call it in the click handler: tabs opened later are blocked as pop-ups. */
  async function pay(packageId: string, card: SavedCard | null): Promise<void> {
    setState({ step: "opening", packageId });
    const endpoint = "POST /api/billing/purchase-package";
    try {
      if (card === null) {
        const tab = await openInTab(async () => (await order({ endpoint, body: { package_id: packageId } })).checkout_url);
        return setState({ step: "paying", url: tab.url, blocked: tab.isBlocked });
      }
      const ordered = await order({ endpoint, body: { package_id: packageId, card_id: card.id } });
      const { origin, href } = new URL(ordered.checkout_url, window.location.href);
      if (origin === window.location.origin) return setState({ step: "charging", paymentId: ordered.payment_id });
      // The bank asks for a confirmation.
      const tab = await openInTab(async () => href);
      setState({ step: "paying", url: tab.url, blocked: tab.isBlocked });
    } catch (error) {
      setState({ step: "failed", error });
    }
  }

  /** Why the payment failed; null until then. */
  let problem: string | null = null;
  if (state.step === "failed") problem = messageOf(state.error, t("topUp.failed"));
  else if (charge?.status === "failed" || charge?.status === "expired")
    problem = [
      ...(charge.problem === null ? [] : [t(`billing:problem.${charge.problem}`)]),
      t("billing:success.failedText"),
    ].join(" ");
  return { state, problem, pay, again: () => setState({ step: "choose" }) };
}
