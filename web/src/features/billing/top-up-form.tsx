import type { CreditPackage } from "@farline/contract/billing.ts";
import { type Micros, parseDollars, toDecimalString } from "@farline/domain/money.ts";
import { IconLock } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatCount, formatMoney } from "../../lib/format.ts";
import { messageOf } from "../../lib/http.ts";
import { useOnline } from "../../lib/use-online.ts";
import { Banner } from "../../ui/banner.tsx";
import { Field } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Key } from "../../ui/key.tsx";
import { toast } from "../../ui/toast.ts";
import { estimatedMinutes, isWholeDollars, topUpAmount } from "./amount.ts";
import { PackageChoice } from "./package-choice.tsx";
import { useCheckout } from "./use-checkout.ts";

/** The package marked popular, or else the first one, is chosen at the start. */
function firstChoice(packages: readonly CreditPackage[]): CreditPackage | undefined {
  return packages.find((candidate) => candidate.is_popular) ?? packages[0];
}

/** Choose a package or type whole dollars, see what it gives, go and pay. */
export function TopUpForm({ packages }: { readonly packages: readonly CreditPackage[] }) {
  const { t } = useTranslation("billing");
  const online = useOnline();
  const [chosen, setChosen] = useState(() => firstChoice(packages));
  const [amount, setAmount] = useState(() => wholeDollars(firstChoice(packages)));
  const [failure, setFailure] = useState<string | null>(null);
  const { busy, checkOut } = useCheckout((error) => {
    setFailure(messageOf(error, t("checkoutFailure")));
    toast.error(t("topUp.failure"));
  });
  const pays = chosen === undefined ? topUpAmount(amount) : parseDollars(chosen.amount);
  const gets = chosen === undefined ? pays : parseDollars(chosen.total_credits);

  function submit(): void {
    setFailure(null);
    if (pays === null) return toast.warning(t("topUp.chooseFirst"));
    void checkOut(
      chosen === undefined
        ? { path: "/billing/top-up", body: { amount: toDecimalString(pays) } }
        : { path: "/billing/purchase-package", body: { package_id: chosen.id } },
    );
  }

  return (
    <form
      className="card tu__form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && online) submit();
      }}
    >
      <PackageChoice
        packages={packages}
        chosen={chosen}
        onChoose={(next) => {
          setChosen(next);
          setAmount(wholeDollars(next));
        }}
      />
      <Field
        label={t("topUp.otherAmount")}
        hint={t("topUp.otherAmountHint")}
        prefix="$"
        inputMode="numeric"
        autoComplete="off"
        value={amount}
        error={chosen === undefined && amount !== "" && pays === null ? t("topUp.chooseFirst") : undefined}
        onChange={(event) => {
          if (!isWholeDollars(event.target.value)) return;
          setAmount(event.target.value);
          setChosen(undefined);
        }}
      />
      <Summary pays={pays} gets={gets} />
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <Key pair="credit" size="lg" wide type="submit" busy={busy} disabled={pays === null || !online}>
        {!busy && <Icon of={IconLock} />}
        {busy ? t("topUp.submitting") : t("topUp.submit")}
      </Key>
      <p className="hint tu__note">
        {pays === null && !busy ? `${t("topUp.chooseFirst")}. ` : ""}
        {online ? t("topUp.note") : t("offlineReason")}
      </p>
    </form>
  );
}

/** What is paid, what it gives, and the estimate in minutes. */
function Summary({ pays, gets }: { readonly pays: Micros | null; readonly gets: Micros | null }) {
  const { t } = useTranslation("billing");
  const money = (micros: Micros | null) => (micros === null ? "–" : formatMoney(toDecimalString(micros)));
  return (
    <dl className="sum" aria-live="polite">
      <div>
        <dt>{t("topUp.youPay")}</dt>
        <dd>{money(pays)}</dd>
      </div>
      <div>
        <dt>{t("topUp.youGet")}</dt>
        <dd>{money(gets)}</dd>
      </div>
      {gets !== null && (
        <div className="sum__est">
          <dt className="sr-only">{t("topUp.estimateLabel")}</dt>
          <dd>{t("topUp.estimate", { minutes: formatCount(estimatedMinutes(gets)) })}</dd>
        </div>
      )}
    </dl>
  );
}

function wholeDollars(choice: CreditPackage | undefined): string {
  return choice === undefined ? "" : String(Math.floor(choice.amount));
}
