import type { ReceiptDetails } from "@farline/contract/billing-documents.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { IconArrowLeft, IconFileTypePdf, IconPrinter } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { cardText } from "../../../ui/money/checkout.ts";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { useTitle } from "../../../browser/page-hooks.ts";
import { ApiError, messageOf } from "../../../service/http.ts";
import { formatDateTime, formatMoney } from "../../../text/format.ts";
import { formatTogether } from "../../../text/statement-format.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { EmptyState, LoadFailure } from "../../../ui/empty-state.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { downloadDocument, receiptQuery } from "../billing-queries.ts";
import * as iconStyles from "../../../ui/icon.module.css";
import * as styles from "./receipt.module.css";
import { leftToRight } from "../../../text/i18n.ts";

/** A printable receipt, in the reader's language. */
export function ReceiptPage() {
  const { t } = useTranslation("billing");
  const { id = "" } = useParams();
  const receipt = useQuery(receiptQuery(id));
  useTitle(receipt.data === undefined ? t("receipts.one") : t("receipts.numbered", { number: receipt.data.number }));
  if (receipt.error instanceof ApiError && receipt.error.status === 404) return <Missing />;
  if (receipt.data !== undefined) return <Sheet receipt={receipt.data} />;
  if (receipt.isError) return <LoadFailure text={t("receipts.failure")} of={receipt} />;
  return <SkeletonRows rows={4} />;
}

function Missing() {
  const { t } = useTranslation("billing");
  return (
    <EmptyState
      as="h1"
      title={t("receipts.missing")}
      text={t("receipts.missingText")}
      action={<ButtonLink to="/billing">{t("viewBilling")}</ButtonLink>}
    />
  );
}

function Sheet({ receipt }: { readonly receipt: ReceiptDetails }) {
  const { t } = useTranslation("billing");
  return (
    <div className={styles.page}>
      <article className={styles.sheet} aria-labelledby="receipt-title">
        <header>
          <h1 className="t-page" id="receipt-title">
            {t(`receipts.kind.${receipt.kind}`)}
          </h1>
          <p className="muted">{t("receipts.numbered", { number: leftToRight(receipt.number) })}</p>
        </header>
        {receipt.sample && <Banner kind="info">{t("receipts.sample")}</Banner>}
        <Parties receipt={receipt} />
        <Sums receipt={receipt} />
        <Facts receipt={receipt} />
        {receipt.tax_note !== null && <p className="muted small">{receipt.tax_note}</p>}
      </article>
      <Actions receipt={receipt} />
    </div>
  );
}

function Parties({ receipt: { seller, buyer } }: { readonly receipt: ReceiptDetails }) {
  const { t } = useTranslation("billing");
  return (
    <div className={styles.parties}>
      <section>
        <h2 className={styles.label}>{t("receipts.from")}</h2>
        <p>
          <b>
            <bdi>{seller.name}</bdi>
          </b>
        </p>
        {seller.address.map((line) => (
          <p key={line}>
            <bdi>{line}</bdi>
          </p>
        ))}
        {seller.tax_id !== null && <p>{t("receipts.taxId", { id: leftToRight(seller.tax_id) })}</p>}
      </section>
      <section>
        <h2 className={styles.label}>{t("receipts.to")}</h2>
        <p>
          <b>
            <bdi>{buyer.name}</bdi>
          </b>
        </p>
        <p>{leftToRight(buyer.email)}</p>
      </section>
    </div>
  );
}

function Sums({ receipt }: { readonly receipt: ReceiptDetails }) {
  const { t } = useTranslation("billing");
  const { amount, bonus, tax, kind, credited } = receipt;
  // Money is whole cents; bonus may be any part of one, and both must add up to the credit.
  const [free, credit] = formatTogether(credited === null ? [bonus] : [bonus, credited]);
  return (
    <dl className={classNames(styles.rows, styles.sums)}>
      <div>
        <dt>{t(`receipts.total.${kind}`)}</dt>
        <dd className={styles.amount}>{formatMoney(amount)}</dd>
      </div>
      {tax !== null && (
        <div>
          <dt>{t("receipts.tax", { percent: leftToRight(tax.percent) })}</dt>
          <dd>{formatMoney(tax.amount)}</dd>
        </div>
      )}
      {fromDecimalString(bonus) > 0n && (
        <div>
          <dt>{t(`receipts.bonus.${kind}`)}</dt>
          <dd>{free}</dd>
        </div>
      )}
      {credited !== null && (
        <div>
          <dt>{t("receipts.credited")}</dt>
          <dd className={styles.amount}>{credit}</dd>
        </div>
      )}
    </dl>
  );
}

function Facts({ receipt }: { readonly receipt: ReceiptDetails }) {
  const { t } = useTranslation("billing");
  const { card, corrects, books_month: booksMonth } = receipt;
  return (
    <dl className={styles.facts}>
      <dt>{t("receipts.date")}</dt>
      <dd>
        <time dateTime={receipt.paid_at}>{formatDateTime(receipt.paid_at)}</time>
      </dd>
      {card !== null && (
        <>
          <dt>{t("receipts.card")}</dt>
          <dd>{cardText(card)}</dd>
        </>
      )}
      {corrects !== null && (
        <>
          <dt>{t("receipts.corrects")}</dt>
          <dd>{leftToRight(corrects)}</dd>
        </>
      )}
      {booksMonth !== null && (
        <>
          <dt>{t("receipts.booksMonth")}</dt>
          <dd>{leftToRight(booksMonth)}</dd>
        </>
      )}
      <dt>{t("receipts.payment")}</dt>
      <dd>
        <code dir="ltr">{receipt.payment_id}</code>
      </dd>
    </dl>
  );
}

function Actions({ receipt }: { readonly receipt: ReceiptDetails }) {
  const { t } = useTranslation("billing");
  const download = useMutation({ mutationFn: () => downloadDocument({ type: "receipt", id: receipt.id }) });
  return (
    <div className={styles.pageActions}>
      <Button pair="action" busy={download.isPending} onClick={() => download.mutate()}>
        <Icon of={IconFileTypePdf} />
        <span>{t("receipts.download")}</span>
      </Button>
      <Button onClick={() => globalThis.print()}>
        <Icon of={IconPrinter} />
        <span>{t("receipts.print")}</span>
      </Button>
      <ButtonLink to="/billing">
        <Icon of={IconArrowLeft} className={iconStyles.back} />
        <span>{t("viewBilling")}</span>
      </ButtonLink>
      {download.isError && <Banner kind="error">{messageOf(download.error, t("statement.downloadFailure"))}</Banner>}
    </div>
  );
}
