import type { Withdrawal, WithdrawalQuote, WithdrawalsResponse } from "@farline/contract/billing.ts";
import { fromDecimalString, type Micros, toDecimalString } from "@farline/domain/money.ts";
import { readDollars } from "@farline/domain/typed/typed-dollars.ts";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { cardText } from "../../ui/money/checkout.ts";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import * as fieldStyles from "../../ui/forms/field.module.css";
import * as rowsStyles from "../../ui/rows.module.css";
import * as styles from "./billing.module.css";
import { randomId } from "../../browser/random-id.ts";
import { useOnline } from "../../browser/page-hooks.ts";
import { messageOf, wasCancelled } from "../../service/http.ts";
import { refreshMoney } from "../../service/queries.ts";
import { formatDate, formatMoney, formatSum } from "../../text/format.ts";
import { formatTogether } from "../../text/statement-format.ts";
import { useDebounced } from "../../time/use-now.ts";
import { i18n } from "../../text/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { MoneyField } from "../../ui/forms/form-fields.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { ValueList } from "../../ui/value-list.tsx";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { Loaded, ShowMore } from "../../ui/waiting/loaded.tsx";
import { withdraw, withdrawalQuoteQuery, withdrawalsQuery } from "./billing-queries.ts";

/** Whether there is, or was, anything to withdraw. */
export function isOffered(first: WithdrawalsResponse | undefined): first is WithdrawalsResponse {
  if (first === undefined) return false;
  const { withdrawable, not_returnable: voucher, withdrawals } = first;
  return withdrawals.data.length > 0 || [withdrawable, voucher].some((dollars) => fromDecimalString(dollars) > 0n);
}

/** Returns unused credit to the card. Hidden from customers who never had anything to withdraw. */
export function WithdrawCredit() {
  const { t } = useTranslation("billing");
  const list = useInfiniteQuery(withdrawalsQuery);
  const first = list.data?.pages[0];
  if (!isOffered(first)) return null;
  const maxMicros = fromDecimalString(first.withdrawable);
  const withdrawals = list.data?.pages.flatMap((page) => page.withdrawals.data) ?? [];
  const voucherMicros = fromDecimalString(first.not_returnable);
  return (
    <Card title={t("withdraw.title")}>
      <p className="muted small">{t("withdraw.text")}</p>
      {maxMicros === 0n ? (
        <p className={styles.nothing}>{t("withdraw.nothing")}</p>
      ) : (
        // A new maximum resets the form; earlier input no longer applies.
        <WithdrawForm key={first.withdrawable} maxMicros={maxMicros} minMicros={fromDecimalString(first.min)} />
      )}
      {voucherMicros > 0n && (
        <p className="muted small">
          <span>{t("withdraw.voucher", { amount: formatMoney(first.not_returnable) })}</span>{" "}
          <Link className="link" to="/cases/new">
            {t("notice.contact")}
          </Link>
        </p>
      )}
      {fromDecimalString(first.bonus_kept) > 0n && (
        <p className="muted small">{t("withdraw.kept", { kept: formatSum(first.bonus_kept) })}</p>
      )}
      <WithdrawList withdrawals={withdrawals} />
      <ShowMore of={list} />
    </Card>
  );
}

interface Bounds {
  readonly maxMicros: Micros;
  readonly minMicros: Micros;
}

function WithdrawForm({ maxMicros, minMicros }: Bounds) {
  const { t } = useTranslation("billing");
  const online = useOnline();
  const [typed, setTyped] = useState(() => toDecimalString(maxMicros));
  const [asked, setAsked] = useState<WithdrawalRequest | null>(null);
  const [wrong, setWrong] = useState(false);
  const amountMicros = withinBounds(typed, { maxMicros, minMicros });
  const amount = amountMicros === null ? null : toDecimalString(amountMicros);
  const settled = useDebounced(amount, QUOTE_AFTER_MS);
  const max = formatMoney(toDecimalString(maxMicros));
  const min = formatMoney(toDecimalString(minMicros));
  return (
    <>
      <Form
        className={styles.withdrawForm}
        noValidate
        onSubmit={() => {
          setWrong(amountMicros === null);
          if (amount !== null && online) setAsked({ amount, requestKey: randomId() });
        }}
      >
        <MoneyField
          label={t("withdraw.amount")}
          {...(readDollars(typed) === null && typed !== ""
            ? { error: t("amount.unreadable") }
            : wrong && amountMicros === null
              ? { error: maxMicros < minMicros ? t("withdraw.all", { max }) : t("withdraw.bounds", { min, max }) }
              : { hint: t("withdraw.upTo", { max }) })}
          value={typed}
          onValue={setTyped}
        />
        <Button type="submit" disabled={!online}>
          {t("withdraw.submit")}
        </Button>
      </Form>
      {!online && <p className={fieldStyles.hint}>{t("offlineReason")}</p>}
      {online && amount !== null && (amount === settled ? <Figures amount={amount} /> : <SkeletonRows rows={FIGURES} />)}
      <WithdrawDialog request={asked} onClose={() => setAsked(null)} />
    </>
  );
}

const QUOTE_AFTER_MS = 400;
/** Lines of the figures, for the placeholder. */
const FIGURES = 4;

/** What a withdrawal does, as the service would book it: every figure before the press. */
function Figures({ amount }: { readonly amount: string }) {
  const { t } = useTranslation("billing");
  const quote = useQuery(withdrawalQuoteQuery(amount));
  return (
    <Loaded of={quote} failure={t("withdraw.quoteFailure")} rows={FIGURES}>
      {(data) => <Sum quote={data} />}
    </Loaded>
  );
}

function Sum({ quote }: { readonly quote: WithdrawalQuote }) {
  const { t } = useTranslation("billing");
  const { amount, balance, bonus, spent_bonus: spentBonus, balance_after: after } = quote;
  const [now, back, gone, spent, left] = formatTogether([balance, less(amount), less(bonus), less(spentBonus), after]);
  return (
    <ValueList
      className={styles.statementSums}
      aria-live="polite"
      of={[
        { name: t("withdraw.now"), value: now },
        {
          name: (
            <>
              <span>{t("withdraw.back")}</span>
              {cardsOf(quote).map((line) => (
                <span key={line} className={styles.goesTo}>
                  {line}
                </span>
              ))}
            </>
          ),
          value: back,
        },
        { name: t("withdraw.bonus"), value: gone },
        { name: t("withdraw.spentBonus"), value: fromDecimalString(spentBonus) > 0n ? spent : null },
        { name: t("withdraw.after"), value: left },
      ]}
    />
  );
}

function less(dollars: string): string {
  return toDecimalString(-fromDecimalString(dollars));
}

/** Each card of a withdrawal once, with its amount if there are several. */
function cardsOf({ parts }: WithdrawalQuote): string[] {
  const micros = new Map<string, Micros>();
  for (const { card, amount } of parts) {
    const name = card === null ? i18n.t("billing:withdraw.sameWay") : cardText(card);
    micros.set(name, (micros.get(name) ?? 0n) + fromDecimalString(amount));
  }
  if (micros.size === 1) return [...micros.keys()];
  return Array.from(micros, ([name, sum]) => `${name}: ${formatMoney(toDecimalString(sum))}`);
}

/** The typed amount if the service would accept it, otherwise null. */
function withinBounds(typed: string, { maxMicros, minMicros }: Bounds): Micros | null {
  const micros = readDollars(typed);
  if (micros === null || micros === 0n || micros > maxMicros) return null;
  return micros < minMicros && micros !== maxMicros ? null : micros;
}

/** One withdrawal request, including its retries. */
interface WithdrawalRequest {
  /** Decimal dollars. */
  readonly amount: string;
  readonly requestKey: string;
}

interface WithdrawDialogProps {
  /** Null while the dialog is closed. */
  readonly request: WithdrawalRequest | null;
  readonly onClose: () => void;
}

/** Asks for confirmation, then sends the withdrawal request. */
function WithdrawDialog({ request, onClose }: WithdrawDialogProps) {
  const { t } = useTranslation(["billing", "common"]);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<{ of: WithdrawalRequest; text: string } | null>(null);
  const shown = request === null ? "" : formatMoney(request.amount);
  const quote = useQuery({ ...withdrawalQuoteQuery(request?.amount ?? ""), enabled: request !== null }).data;

  async function send(sent: WithdrawalRequest, { bonus, spent_bonus: spentBonus }: WithdrawalQuote): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      const bonusShown = toDecimalString(fromDecimalString(bonus) + fromDecimalString(spentBonus));
      await withdraw({ amount: sent.amount, bonus_shown: bonusShown }, sent.requestKey);
      toast.success(t("withdraw.done", { amount: formatMoney(sent.amount) }));
      onClose();
      void refreshMoney();
    } catch (error) {
      if (!wasCancelled(error)) setFailure({ of: sent, text: messageOf(error, t("withdraw.failure")) });
      // The figures may have changed.
      void refreshMoney();
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog
      open={request !== null}
      onClose={() => !busy && onClose()}
      title={t("withdraw.confirm", { amount: shown })}
      foot={
        <>
          <Button onClick={onClose} disabled={busy}>
            {t("withdraw.keep")}
          </Button>
          <Button
            pair="action"
            busy={busy}
            disabled={quote === undefined}
            onClick={() => request !== null && quote !== undefined && void send(request, quote)}
          >
            {busy ? t("topUp.submitting") : t("withdraw.submitAmount", { amount: shown })}
          </Button>
        </>
      }
    >
      {request !== null && <Figures amount={request.amount} />}
      <p>{t("withdraw.confirmText")}</p>
      {failure !== null && failure.of === request && <Banner kind="error">{failure.text}</Banner>}
    </Dialog>
  );
}

/** Earlier withdrawals, with a line for each card. */
function WithdrawList({ withdrawals }: { readonly withdrawals: readonly Withdrawal[] }) {
  const { t } = useTranslation("billing");
  const lines = withdrawals.flatMap(({ id, created_at: at, parts }) =>
    parts.map((part, index) => ({ ...part, at, key: `${id} ${index}` })),
  );
  if (lines.length === 0) return null;
  return (
    <>
      <h3 className={styles.earlier}>{t("withdraw.earlier")}</h3>
      <ul className={rowsStyles.rows}>
        {lines.map((line) => (
          <li key={line.key} className={styles.withdrawal}>
            <span>
              <b>{formatMoney(line.amount)}</b>
              <br />
              <span className={rowsStyles.meta}>
                <time dateTime={line.at}>{formatDate(line.at)}</time>
                {line.card !== null && (
                  <>
                    <span>{" · "}</span>
                    <span className="whole">{cardText(line.card)}</span>
                  </>
                )}
              </span>
            </span>
            <StatusBadge status={SHOWN[line.status]} quiet={line.status === "succeeded"} />
            {line.waits_for && <p className={styles.reason}>{t(`withdraw.waitsFor.${line.waits_for}`)}</p>}
            {line.status === "failed" && <p className={styles.reason}>{t("withdraw.failed")}</p>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Our queue and the bank's are the same state for the customer. */
const SHOWN = { ordered: "pending", pending: "pending", succeeded: "completed", failed: "failed" } as const;
