import type { BalanceResponse } from "@farline/contract/billing.ts";
import { fromDecimalString, type Micros, MICROS_PER_DOLLAR, toDecimalString } from "@farline/domain/money.ts";
import { readDollars } from "@farline/domain/typed/typed-dollars.ts";
import { IconFlask, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import * as phonecardStyles from "../../ui/money/phonecard.module.css";
import * as styles from "./billing.module.css";
import cord from "../../assets/cord-card.svg";
import { request } from "../../service/http.ts";
import { balanceQuery, refreshMoney } from "../../service/queries.ts";
import { formatCount, formatMoney, formatSum, formatWholeDollars } from "../../text/format.ts";
import { formatOwed } from "../../text/statement-format.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Form } from "../../ui/forms/form.tsx";
import { MoneyField } from "../../ui/forms/form-fields.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { PhonecardAmount } from "../../ui/money/phonecard.tsx";
import { Badge } from "../../ui/status-badge.tsx";
import { useChange } from "../../ui/use-change.ts";
import { ValueList } from "../../ui/value-list.tsx";
import { Skeleton } from "../../ui/waiting/skeleton.tsx";
import { transactionsQuery } from "./billing-queries.ts";
import { readTopUp } from "./top-up/amount.ts";

/** The balance as a yellow phonecard: what was bought, what was free, and the amount to top up next. */
export function BalanceCard() {
  const { t } = useTranslation("billing");
  const { data: balance } = useQuery(balanceQuery);
  const transactions = useInfiniteQuery(transactionsQuery("all"));
  const count = transactions.data?.pages[0]?.total;
  const parts = partsOf(balance);
  return (
    <section className={classNames(phonecardStyles.phonecard, styles.balanceCard, "on-credit")} aria-labelledby="current-balance">
      <img className={phonecardStyles.cord} src={cord} alt="" width="330" height="220" />
      <h2 className={phonecardStyles.label} id="current-balance">
        {t("currentBalance")}
      </h2>
      <PhonecardAmount balance={balance} />
      {parts !== null && (
        <ValueList
          className={styles.balanceParts}
          of={[
            { name: t("billing.bought"), value: formatMoney(parts.bought) },
            { name: t("billing.free"), value: formatMoney(parts.free) },
          ]}
        />
      )}
      {balance !== undefined && fromDecimalString(balance.held) > 0n && (
        <p className="small">{t("billing.held", { amount: formatSum(balance.held) })}</p>
      )}
      <NextTopUp />
      <div className={phonecardStyles.foot}>
        <p className="fig small">
          {count === undefined ? <Skeleton width="8rem" /> : t("billing.count", { count, formatted: formatCount(count) })}
        </p>
      </div>
    </section>
  );
}

const MICROS_PER_CENT = 10_000n;

/** Bought and free credit in whole cents that add up to the balance as it is shown; null without free credit to show. */
export function partsOf(of: BalanceResponse | undefined): { readonly bought: string; readonly free: string } | null {
  if (of === undefined) return null;
  const [total, bonus] = [fromDecimalString(of.balance), fromDecimalString(of.bonus)];
  const cents = (micros: Micros) => micros / MICROS_PER_CENT;
  const bought = cents(total - bonus);
  const free = cents(total) - bought;
  const dollars = (whole: bigint) => toDecimalString(whole * MICROS_PER_CENT);
  return free === 0n ? null : { bought: dollars(bought), free: dollars(free) };
}

const quickAmounts = ["5", "10", "20", "50", "100"] as const;
const DEFAULT_AMOUNT = "10";
const PROBLEMS = { unreadable: "amount.unreadable", too_little: "billing.minimum", too_much: "amount.tooMuch" } as const;

/** A quick amount, or any amount in dollars and cents, for the one form that pays. */
function NextTopUp() {
  const { t } = useTranslation("billing");
  const navigate = useNavigate();
  const [amount, setAmount] = useState(DEFAULT_AMOUNT);
  const { micros: pays, problem } = readTopUp(amount);
  return (
    <Form
      className={styles.next}
      noValidate
      onSubmit={() => {
        if (pays === null) toast.warning(t(PROBLEMS[problem]));
        else void navigate(`/topup?amount=${toDecimalString(pays)}`);
      }}
    >
      <div className={styles.quick} role="group" aria-label={t("billing.quick")}>
        {quickAmounts.map((quick) => (
          <button
            key={quick}
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
      <Button pair="action" size="lg" wide type="submit">
        <Icon of={IconPlus} />
        <span>{pays === null ? t("topUp.title") : t("billing.topUp", { amount: formatMoney(toDecimalString(pays)) })}</span>
      </Button>
    </Form>
  );
}

/** The customer's debt, and how to pay it. */
export function DebtNotice() {
  const { t } = useTranslation("billing");
  const balance = useQuery(balanceQuery);
  const debt = balance.data?.debt ?? "0.00";
  if (fromDecimalString(debt) <= 0n) return null;
  return <Banner kind="info">{t("notice.debt", { amount: formatOwed(debt) })}</Banner>;
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
