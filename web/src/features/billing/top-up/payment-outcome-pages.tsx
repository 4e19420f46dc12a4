import type { ConfirmRequest, ConfirmResponse, PaymentProblem } from "@farline/contract/billing.ts";
import { IconCheck, IconMail, IconPhoneFilled } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import * as lineStyles from "../../../ui/line.module.css";
import * as rowsStyles from "../../../ui/rows.module.css";
import * as billingStyles from "../billing.module.css";
import * as styles from "../documents/receipt.module.css";
import { useTitle } from "../../../browser/page-hooks.ts";
import { request } from "../../../service/http.ts";
import { balanceQuery, refreshMoney } from "../../../service/queries.ts";
import { formatBalance, formatMoney } from "../../../text/format.ts";
import { formatForeign } from "../../../text/statement-format.ts";
import { Button, ButtonLink, Spinner } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { isFinal, usePaymentPoll } from "./payment-poll.ts";

type Paid = Extract<PaymentOutcome, { state: "paid" }>;

/** Where the card provider sends the browser after the payment. Shows the service's state, never the URL's. */
export function PaymentSuccessPage() {
  const [search] = useSearchParams();
  const wanted = paymentIn(search);
  const name = wanted === null ? "" : nameOf(wanted);
  return <div className={styles.pay}>{wanted === null ? <Unnamed /> : <Outcome key={name} wanted={wanted} />}</div>;
}

/** The provider's page returns with its session. A saved card has no session, so the payment's id is used. */
function paymentIn(search: URLSearchParams): ConfirmRequest | null {
  const sessionId = search.get("session_id") ?? "";
  if (sessionId !== "") return { session_id: sessionId };
  const paymentId = search.get("payment_id") ?? "";
  return paymentId === "" ? null : { payment_id: paymentId };
}

function nameOf(wanted: ConfirmRequest): string {
  return "session_id" in wanted ? wanted.session_id : wanted.payment_id;
}

function Outcome({ wanted }: { readonly wanted: ConfirmRequest }) {
  const { t } = useTranslation("billing");
  const outcome = usePaymentOutcome(wanted);
  const failedText = (problem: PaymentProblem | null) =>
    problem === null ? t("success.failedText") : `${t(`problem.${problem}`)} ${t("success.failedText")}`;
  if (outcome.state === "paid") return <Receipt payment={outcome.payment} name={nameOf(wanted)} />;
  if (outcome.state === "unknown") return <Unknown />;
  if (outcome.state === "failed")
    return (
      <Message title={t("success.failedTitle")} text={failedText(outcome.problem)}>
        <ButtonLink pair="credit" size="lg" to="/topup">
          {t("cancel.again")}
        </ButtonLink>
      </Message>
    );
  if (outcome.state === "pending") return <Message title={t("success.pendingTitle")} text={t("success.pendingText")} />;
  if (outcome.state === "slow")
    return (
      <Message title={t("success.slowTitle")} text={t("success.slowText")}>
        <Button pair="action" size="lg" onClick={outcome.again}>
          {t("success.slowAgain")}
        </Button>
      </Message>
    );
  return <Waiting />;
}

function Waiting() {
  const { t } = useTranslation("billing");
  useTitle(t("success.waiting"));
  return (
    <section className={styles.slip} role="status" data-placeholder="">
      <div className={classNames(styles.head, styles.wait)}>
        <Spinner large />
        <h1 className="t-card">{t("success.waiting")}</h1>
      </div>
    </section>
  );
}

function Receipt({ payment, name }: Pick<Paid, "payment"> & { readonly name: string }) {
  const { t } = useTranslation("billing");
  useTitle(t("success.title"));
  const { gift } = payment;
  const isGiven = gift?.is_given === true;
  return (
    <section className={styles.slip} aria-labelledby="outcome">
      <div className={classNames(styles.top, "on-credit")} role="status">
        <span className={styles.ok}>
          <Icon of={IconCheck} />
        </span>
        <h1 className="t-page" id="outcome">
          {t("success.title")}
        </h1>
        <p>{gift === null ? t("success.ready") : t(isGiven ? "success.giftGiven" : "success.giftKept", { name: gift.name })}</p>
      </div>
      <dl className={styles.rows}>
        {payment.presented === null && payment.paid !== undefined && (
          <div>
            <dt>{t("success.presented")}</dt>
            <dd className={styles.amount}>{formatMoney(payment.paid)}</dd>
          </div>
        )}
        <div>
          <dt>{isGiven ? t("success.giftAmount", { name: gift.name }) : t("success.amount")}</dt>
          <dd className={styles.amount}>{formatMoney(payment.amount)}</dd>
        </div>
        {payment.presented !== null && (
          <div>
            <dt>{t("success.presented")}</dt>
            <dd className={styles.amount}>{formatForeign(payment.presented)}</dd>
          </div>
        )}
        {!isGiven && (
          <div>
            <dt>{t("success.balance")}</dt>
            <dd className={styles.amount}>{formatBalance(payment.balance, payment.currency)}</dd>
          </div>
        )}
        <div>
          <dt>{t("success.transaction")}</dt>
          <dd>
            <code dir="ltr">{name}</code>
          </dd>
        </div>
      </dl>
      {payment.receipt_id !== null && (
        <p className={styles.sent}>
          <Icon of={IconMail} />
          <span>
            <span>{t("success.receiptSent")}</span>{" "}
            <Link className={billingStyles.link} to={`/billing/receipts/${payment.receipt_id}`}>
              {t("success.receipt")}
            </Link>
          </span>
        </p>
      )}
      {payment.suggests_auto_top_up && (
        <Banner kind="info">
          <p>{t("success.ranLow")}</p>
          <ButtonLink size="sm" to="/billing#auto-top-up">
            {t("success.setUpAuto")}
          </ButtonLink>
        </Banner>
      )}
      <div className={styles.actions}>
        {!isGiven && (
          <ButtonLink pair="call" size="lg" to="/dialer">
            <Icon of={IconPhoneFilled} />
            <span>{t("success.call")}</span>
          </ButtonLink>
        )}
        <ButtonLink to="/dashboard">{t("success.dashboard")}</ButtonLink>
        <ButtonLink to="/billing">{t("viewBilling")}</ButtonLink>
      </div>
    </section>
  );
}

/** An address without a payment says nothing about the payment; asking for the balance books one that has arrived. */
function Unnamed() {
  const { t } = useTranslation("billing");
  const balance = useQuery({ ...balanceQuery, staleTime: 0 });
  if (balance.isFetching && !balance.isFetchedAfterMount) return <Waiting />;
  const title =
    balance.data === undefined
      ? t("success.unnamedTitle")
      : t("success.yourBalance", { balance: formatBalance(balance.data.balance, balance.data.currency) });
  return <Message title={title} text={t("success.unnamedText")} />;
}

function Unknown() {
  const { t } = useTranslation("billing");
  return <Message title={t("success.unknownTitle")} text={t("success.unknownText")} />;
}

interface MessageProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
}

/** Any state except paid: what is known, and what to do next. */
function Message({ title, text, children }: MessageProps) {
  const { t } = useTranslation("billing");
  useTitle(title);
  return (
    <section className={styles.slip} aria-labelledby="outcome">
      <div className={styles.head} role="status">
        <h1 className="t-page" id="outcome">
          {title}
        </h1>
        <p className="lead">{text}</p>
      </div>
      <div className={styles.actions}>
        {children}
        <ButtonLink to="/billing">{t("viewBilling")}</ButtonLink>
      </div>
    </section>
  );
}

type PaymentOutcome =
  | { readonly state: "waiting" }
  /** The money arrives later: the page can be closed. */
  | { readonly state: "pending" }
  | { readonly state: "paid"; readonly payment: ConfirmResponse }
  | { readonly state: "failed"; readonly problem: ConfirmResponse["problem"] }
  /** This customer has no such payment. */
  | { readonly state: "unknown" }
  /** Still open after the time limit, or the service cannot be reached. */
  | { readonly state: "slow"; readonly again: () => void };

/** The outcome of a payment, as far as it is known by now. */
function usePaymentOutcome(wanted: ConfirmRequest): PaymentOutcome {
  const { data, isUnknown, late, again } = usePaymentPoll(["payment", wanted], (signal) =>
    request("POST /api/billing/confirm", { signal, body: wanted }),
  );
  const paid = data?.status === "paid";
  useEffect(() => {
    if (paid) void refreshMoney();
  }, [paid]);

  if (data?.status === "paid") return { state: "paid", payment: data };
  if (data?.status === "pending") return { state: "pending" };
  if (data !== undefined && isFinal(data)) return { state: "failed", problem: data.problem };
  if (isUnknown) return { state: "unknown" };
  return late ? { state: "slow", again } : { state: "waiting" };
}

const reasons = ["cancel.reason.back", "cancel.reason.late", "cancel.reason.bank", "cancel.reason.card"] as const;

/** The card provider redirects here when the payment is cancelled. Asking for the balance makes the service ask the provider. */
export function PaymentCancelPage() {
  const { t } = useTranslation("billing");
  useTitle(t("cancel.title"));
  useQuery({ ...balanceQuery, staleTime: 0 });
  return (
    <div className={styles.pay}>
      <section className={styles.slip} aria-labelledby="outcome">
        <div className={styles.head}>
          <h1 className="t-page" id="outcome">
            {t("cancel.title")}
          </h1>
          <p className="lead">{t("cancel.lead")}</p>
          <div className={classNames(lineStyles.line, lineStyles.idle, styles.line)} aria-hidden="true">
            <i />
          </div>
        </div>
        <div className={styles.why}>
          <h2 className="t-sub">{t("cancel.reasons")}</h2>
          <ul className={classNames(rowsStyles.ticks, rowsStyles.dot)}>
            {reasons.map((reason) => (
              <li key={reason}>{t(reason)}</li>
            ))}
          </ul>
        </div>
        <div className={styles.actions}>
          <ButtonLink pair="credit" size="lg" to="/topup">
            {t("cancel.again")}
          </ButtonLink>
          <ButtonLink to="/billing">{t("viewBilling")}</ButtonLink>
          <ButtonLink to="/dashboard">{t("cancel.dashboard")}</ButtonLink>
        </div>
      </section>
    </div>
  );
}
