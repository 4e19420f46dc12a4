import { MICROS_PER_DOLLAR, toDecimalString } from "@farline/domain/money.ts";
import { readDollars } from "@farline/domain/typed/typed-dollars.ts";
import { IconCreditCard, IconFlask } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { packagesQuery, useCheckout } from "../../../ui/money/checkout.ts";
import { useTranslation } from "react-i18next";
import * as rowsStyles from "../../../ui/rows.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as styles from "../billing.module.css";
import { useOnline } from "../../../browser/page-hooks.ts";
import { messageOf, request } from "../../../service/http.ts";
import { refreshMoney } from "../../../service/queries.ts";
import { formatMoney, formatWholeDollars } from "../../../text/format.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Form } from "../../../ui/forms/form.tsx";
import { MoneyField } from "../../../ui/forms/form-fields.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { SellerLine, useSeller } from "../../../ui/money/seller-line.tsx";
import { Badge } from "../../../ui/status-badge.tsx";
import { useChange } from "../../../ui/use-change.ts";
import { betterPackage, readTopUp } from "./amount.ts";
import { OtherTabNotice } from "../../../ui/other-tab-notice.tsx";

const quickAmounts = ["5", "10", "20", "50", "100"] as const;
const DEFAULT_AMOUNT = "10";
const PROBLEMS = { unreadable: "amount.unreadable", too_little: "billing.minimum", too_much: "amount.tooMuch" } as const;

/** Top-up on the billing page: a quick amount, or any amount in dollars and cents. */
export function BillingTopUp() {
  const { t } = useTranslation("billing");
  const online = useOnline();
  const [amount, setAmount] = useState(DEFAULT_AMOUNT);
  const [failure, setFailure] = useState<string | null>(null);
  const { busy, tab, checkOut } = useCheckout((error) => setFailure(messageOf(error, t("checkoutFailure"))));
  const { micros: pays, problem } = readTopUp(amount);
  const seller = useSeller();
  const packages = useQuery(packagesQuery).data ?? [];
  const isPayable = online && seller !== undefined;
  const better = pays === null ? undefined : betterPackage(packages, pays);

  function submit(): void {
    setFailure(null);
    if (pays === null) return toast.warning(t(PROBLEMS[problem]));
    void checkOut({ endpoint: "POST /api/billing/top-up", body: { amount: toDecimalString(pays) } });
  }

  return (
    <Card title={t("topUp.title")}>
      <Form
        className={styles.form}
        noValidate
        onSubmit={() => {
          if (!busy && isPayable) submit();
        }}
      >
        <div className={rowsStyles.chips} role="group" aria-label={t("billing.quick")}>
          {quickAmounts.map((quick) => (
            <button
              key={quick}
              className={rowsStyles.chip}
              type="button"
              aria-pressed={pays === BigInt(quick) * MICROS_PER_DOLLAR}
              onClick={() => setAmount(quick)}
            >
              {formatWholeDollars(Number(quick))}
            </button>
          ))}
        </div>
        <MoneyField
          label={t("billing.custom")}
          {...(problem === null ? { hint: t("billing.minimum") } : { error: t(PROBLEMS[problem]) })}
          value={amount}
          onValue={setAmount}
        />
        {better !== undefined && (
          <Banner kind="info">
            <p>
              {t("topUp.better", {
                price: formatWholeDollars(better.amount),
                credit: formatMoney(better.total_credits.toFixed(2)),
              })}
            </p>
            <ButtonLink size="sm" to="/topup">
              {t("topUp.seePackages")}
            </ButtonLink>
          </Banner>
        )}
        {failure !== null && <Banner kind="error">{failure}</Banner>}
        <OtherTabNotice tab={tab} />
        <Button pair="credit" size="lg" wide type="submit" busy={busy} disabled={!isPayable}>
          {!busy && <Icon of={IconCreditCard} />}
          <span>
            {busy
              ? t("topUp.submitting")
              : pays === null
                ? t("billing.pay")
                : t("billing.payAmount", { amount: formatMoney(toDecimalString(pays)) })}
          </span>
        </Button>
        <p className={fieldStyles.hint}>{online ? t("topUp.voucherNote") : t("offlineReason")}</p>
        <SellerLine />
      </Form>
    </Card>
  );
}

const TEST_AMOUNT = "10";

/** Test credit, shown only in sandbox mode. */
export function TestCredit() {
  const { t } = useTranslation("billing");
  const [amount, setAmount] = useState(TEST_AMOUNT);
  const { busy, failure, change, clear } = useChange(t("test.failure"));
  const micros = readDollars(amount);

  function add(): void {
    clear();
    if (micros === null || micros === 0n) return toast.warning(t("test.invalid"));
    void change(async () => {
      await request("POST /api/billing/test-credit", { body: { amount: toDecimalString(micros) } });
      toast.success(t("test.success", { amount: formatMoney(toDecimalString(micros)) }));
      setAmount(TEST_AMOUNT);
      void refreshMoney();
    });
  }

  return (
    <Card
      className={styles.testcard}
      title={t("test.title")}
      aside={
        <Badge like="ringing">
          <Icon of={IconFlask} />
          <span>{t("test.badge")}</span>
        </Badge>
      }
    >
      <p className="muted small">{t("test.text")}</p>
      <Form
        className={styles.testForm}
        noValidate
        onSubmit={() => {
          if (!busy) add();
        }}
      >
        <MoneyField
          label={t("test.amount")}
          labelHidden
          error={micros === null && amount !== "" ? t("test.invalid") : undefined}
          value={amount}
          onValue={setAmount}
        />
        <Button type="submit" busy={busy}>
          {t("test.submit")}
        </Button>
      </Form>
      {failure !== null && <Banner kind="error">{failure}</Banner>}
    </Card>
  );
}
