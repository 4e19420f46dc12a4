import type { CreditPackage } from "@farline/contract/billing.ts";
import type { ExtendResponse } from "@farline/contract/calls.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { IconCircleCheckFilled, IconExternalLink, IconPhoneFilled } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatBalance, formatMinutes, formatMoney, formatWholeDollars } from "../../../text/format.ts";
import { messageOf, request } from "../../../service/http.ts";
import { balanceQuery, queryKeys } from "../../../service/queries.ts";
import type { PhoneCall } from "../../../phone/phone-state.ts";
import { Banner } from "../../../ui/messages/banner.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button, Spinner } from "../../../ui/button.tsx";
import { SellerLine, useSeller } from "../../../ui/money/seller-line.tsx";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { phone } from "../phone-session.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "../dialer-parts.module.css";
import * as buttonStyles from "../../../ui/button.module.css";
import * as dialogStyles from "../../../ui/dialogs/dialog.module.css";
import * as iconStyles from "../../../ui/icon.module.css";
import { openInTab } from "../../../browser/open-tab.ts";

/** `GET /api/billing/packages` */
const packagesQuery = queryOptions({
  queryKey: queryKeys.packages,
  queryFn: async ({ signal }) => (await request("GET /api/billing/packages", { signal })).packages,
  staleTime: 5 * 60_000,
});

/** Requesting the balance also settles open payments (see the contract), so the credit appears as soon as it arrives. */
const LOOK_EVERY_MS = 3000;

interface CallTopUpProps {
  readonly open: boolean;
  readonly call: PhoneCall;
  readonly onClose: () => void;
}

/** Buys credit during the call, and shows by how much the call was extended. */
export default function CallTopUp({ open, call, onClose }: CallTopUpProps) {
  const { t } = useTranslation(["dialer-parts", "dialer"]);
  return (
    <Dialog open={open} onClose={onClose} title={t("topUp.title")}>
      <TopUp call={call} onClose={onClose} />
    </Dialog>
  );
}

function TopUp({ call, onClose }: Omit<CallTopUpProps, "open">) {
  const { t } = useTranslation(["dialer-parts", "dialer"]);
  const { state, pay, again } = useCheckoutTab();
  const { data: balance } = useQuery({ ...balanceQuery, refetchInterval: state.step === "paying" ? LOOK_EVERY_MS : false });
  const gained = useGainedSeconds(call);
  const outcome = useExtension(call, balance?.balance);
  const done = gained > 0 || (outcome !== null && outcome !== "extended");
  return (
    <div className={classNames(styles.topup, "stack")}>
      {balance !== undefined && (
        <p className="spread">
          <span className="muted">{t("dialer:balance.label")}</span>
          <strong className="fig">{formatBalance(balance.balance, balance.currency)}</strong>
        </p>
      )}
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
        {state.step === "paying" && !done && (
          <p className="row">
            <Spinner />
            <span>{t(state.blocked ? "topUp.blocked" : "topUp.waiting")}</span>
          </p>
        )}
      </div>
      {state.step === "failed" && <Banner kind="error">{messageOf(state.error, t("topUp.failed"))}</Banner>}
      {state.step === "paying" ? (
        <a className={classNames(buttonStyles.btn, buttonStyles.wide)} href={state.url} target="_blank" rel="noreferrer">
          <span>{t("topUp.openPage")}</span>
          <Icon of={IconExternalLink} />
        </a>
      ) : (
        <>
          <p className="muted">{t("topUp.text")}</p>
          <Packages busyWith={state.step === "opening" ? state.packageId : null} onPay={(id) => void pay(id)} />
        </>
      )}
      <div className={classNames(dialogStyles.foot, styles.foot)}>
        {state.step === "paying" && done && <Button onClick={again}>{t("topUp.again")}</Button>}
        <Button pair={done ? "action" : "quiet"} onClick={onClose}>
          {t("topUp.back")}
        </Button>
      </div>
      <Button data-hang-up pair="end" size="lg" wide onClick={() => phone.hangUp()}>
        <Icon of={IconPhoneFilled} className={iconStyles.down} />
        <span>{t("dialer:call.hangUp")}</span>
      </Button>
      {/* Last, so that no button leaves a small screen. */}
      {state.step !== "paying" && <SellerLine />}
    </div>
  );
}

function Packages({ busyWith, onPay }: { readonly busyWith: string | null; readonly onPay: (id: string) => void }) {
  const { t } = useTranslation(["dialer-parts", "dialer"]);
  const { data: packages, isPending, error, isFetching, refetch } = useQuery(packagesQuery);
  const seller = useSeller();
  if (isPending) return <SkeletonRows rows={2} />;
  if (packages === undefined) return <LoadFailure text={t("topUp.packagesFailure")} of={{ error, isFetching, refetch }} />;
  return (
    <ul className={styles.packs}>
      {packages.map((offer: CreditPackage) => (
        <li key={offer.id}>
          <Button
            pair="credit"
            wide
            busy={busyWith === offer.id}
            disabled={seller === undefined || (busyWith !== null && busyWith !== offer.id)}
            onClick={() => onPay(offer.id)}
          >
            <span>
              <span>{t("topUp.pay", { amount: formatWholeDollars(offer.amount) })}</span>
              {offer.bonus_percentage > 0 && (
                <small className={styles.get}>{t("topUp.get", { amount: formatMoney(offer.total_credits.toFixed(2)) })}</small>
              )}
            </span>
          </Button>
        </li>
      ))}
    </ul>
  );
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

/** Longer than other timeouts: a checkout calls the card provider. */
const CHECKOUT_TIMEOUT_MS = 30_000;

type CheckoutTab =
  | { readonly step: "choose" }
  | { readonly step: "opening"; readonly packageId: string }
  /** The card provider's page is open in its own tab, or was blocked: the user then opens `url`. */
  | { readonly step: "paying"; readonly url: string; readonly blocked: boolean }
  | { readonly step: "failed"; readonly error: unknown };

/** Pays for a package in another tab, so that the page with the call stays open. */
function useCheckoutTab() {
  const [state, setState] = useState<CheckoutTab>({ step: "choose" });

  /** Call it in the click handler: tabs opened later are blocked as pop-ups. */
  async function pay(packageId: string): Promise<void> {
    setState({ step: "opening", packageId });
    try {
      const { url, isBlocked } = await openInTab(async () => {
        const body = { package_id: packageId };
        const response = await request("POST /api/billing/purchase-package", { body, timeoutMs: CHECKOUT_TIMEOUT_MS });
        return response.checkout_url;
      });
      setState({ step: "paying", url, blocked: isBlocked });
    } catch (error) {
      setState({ step: "failed", error });
    }
  }

  return { state, pay, again: () => setState({ step: "choose" }) };
}
