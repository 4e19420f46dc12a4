import { SAMPLE_PROMO_CODE } from "@farline/contract/constants.ts";
import type { PromoCheckResponse } from "@farline/contract/promotions.ts";
import { readPromoCode } from "@farline/domain/typed/typed-codes.ts";
import { IconCircleCheckFilled } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type Ref, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { configQuery } from "../../../service/queries.ts";
import { formatMoney } from "../../../text/format.ts";
import { after } from "../../../time/timers.ts";
import { Field } from "../../../ui/forms/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { type PromoOrder, promoQuery } from "../billing-queries.ts";
import * as styles from "./top-up.module.css";

interface PromoCodeFieldProps {
  readonly ref: Ref<HTMLInputElement>;
  readonly code: string;
  readonly check: PromoCheckResponse | undefined;
  readonly checking: boolean;
  readonly onChange: (code: string) => void;
}

/** The optional code, folded away, because few have one; shown in capitals, with its bonus or the reason for its refusal. */
export function PromoCodeField({ ref, code, check, checking, onChange }: PromoCodeFieldProps) {
  const { t } = useTranslation("billing");
  const config = useQuery(configQuery);
  const refusal = useRefusalText(check);
  const good = check !== undefined && check.refusal === null;
  return (
    <details className={styles.promo}>
      <summary>{t("promo.have")}</summary>
      <Field
        ref={ref}
        label={t("promo.label")}
        className={styles.code}
        autoCapitalize="characters"
        autoComplete="off"
        spellCheck={false}
        dir="ltr"
        value={code}
        hint={config.data?.mode === "sandbox" && code === "" ? t("promo.sample", { code: SAMPLE_PROMO_CODE }) : undefined}
        error={refusal}
        onValue={(typed, whole) => onChange((whole ? readPromoCode(typed) : null) ?? typed.toUpperCase())}
      />
      <p className={styles.result} role="status">
        {checking && <span>{t("promo.checking")}</span>}
        {good && (
          <>
            <Icon of={IconCircleCheckFilled} /> <span>{t("promo.gives", { amount: formatMoney(check.bonus) })}</span>
          </>
        )}
      </p>
    </details>
  );
}

const refusals = {
  unknown: "promo.refusal.unknown",
  not_started: "promo.refusal.notStarted",
  expired: "promo.refusal.expired",
  used_up: "promo.refusal.usedUp",
  used_up_today: "promo.refusal.usedUpToday",
  used_up_for_now: "promo.refusal.usedUpForNow",
  confirm_first: "promo.refusal.confirmFirst",
  used_before: "promo.refusal.usedBefore",
} as const;

function useRefusalText(check: PromoCheckResponse | undefined): string | undefined {
  const { t } = useTranslation("billing");
  const refusal = check?.refusal ?? null;
  if (check === undefined || refusal === null) return undefined;
  if (refusal === "too_little") return t("promo.refusal.tooLittle", { amount: formatMoney(check.min_amount ?? "0.00") });
  if (refusal !== "other_package") return t(refusals[refusal]);
  if (check.package_amount === null) return t("promo.refusal.anotherPackage");
  return t("promo.refusal.package", { amount: formatMoney(check.package_amount) });
}

/** Debounce delay after the last keystroke. */
const TYPED_AFTER_MS = 400;

/** A promo code as it is typed, and the service's answer for the selected top-up. */
export function usePromoCode(order: PromoOrder | null) {
  const [code, setCode] = useState("");
  const [typed, setTyped] = useState("");
  const wanted = code.trim();
  useEffect(() => {
    return after(TYPED_AFTER_MS, () => setTyped(wanted));
  }, [wanted]);
  const { data, isFetching, refetch } = useQuery(promoQuery(typed, order));
  const current = wanted !== "" && typed === wanted ? data : undefined;
  return {
    code,
    setCode,
    /** What to send; undefined for none. */
    sent: wanted === "" ? undefined : wanted,
    check: current,
    checking: wanted !== "" && typed === wanted && data === undefined && isFetching,
    askAgain: refetch,
  };
}
