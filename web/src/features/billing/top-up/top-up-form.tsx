import type { CreditPackage } from "@farline/contract/billing.ts";
import { fromDecimalString, type Micros, parseDollars, toDecimalString } from "@farline/domain/money.ts";
import { IconCircleCheckFilled, IconLock } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { cardText, useCheckout } from "../../../ui/money/checkout.ts";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import type { Rate } from "@farline/contract/rates.ts";
import * as cardStyles from "../../../ui/card.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as styles from "./top-up.module.css";
import { useOnline } from "../../../browser/page-hooks.ts";
import { ApiError, messageOf } from "../../../service/http.ts";
import { formatCount, formatMinutes, formatMoney, formatWholeDollars } from "../../../text/format.ts";
import { Button } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Field } from "../../../ui/forms/field.tsx";
import { Form } from "../../../ui/forms/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { SellerLine, useSeller } from "../../../ui/money/seller-line.tsx";
import type { PromoOrder } from "../billing-queries.ts";
import { betterPackage, estimatedMinutes, readTopUp, wholeDollars } from "./amount.ts";
import { PayWith, useCardChoice } from "./pay-with.tsx";
import { PromoCodeField, usePromoCode } from "./promo-code-field.tsx";
import { talkMinutes, TalkTime, useTalkRates } from "./talk-time.tsx";
import { localCountryName } from "../../../text/local-text.ts";
import { Fitted } from "../../../ui/money/phonecard.tsx";
import { OtherTabNotice } from "../../../ui/other-tab-notice.tsx";

const NO_BREAK = "\u00a0";

interface PackageChoiceProps {
  readonly packages: readonly CreditPackage[];
  readonly chosen: CreditPackage | undefined;
  /** The price by which each package is said in minutes; null if none is known. */
  readonly talk: Rate | null;
  readonly onChoose: (choice: CreditPackage) => void;
}

/** The amount chosen on the balance page, else the package marked popular, or the first one; with what its field shows. */
function firstChoice(packages: readonly CreditPackage[], wanted: Micros | null): readonly [CreditPackage | undefined, string] {
  if (wanted === null) {
    const popular = packages.find((candidate) => candidate.is_popular) ?? packages[0];
    return [popular, priceOf(popular)];
  }
  const offer = packages.find(({ amount }) => parseDollars(amount) === wanted);
  return [offer, offer === undefined ? toDecimalString(wanted).replace(/\.00$/, "") : priceOf(offer)];
}

const PROBLEMS = { unreadable: "topUp.wholeOnly", too_much: "amount.tooMuch" } as const;

/** The selection: a package, or typed whole dollars; with its price, and its credit without a code. */
function useChoice(packages: readonly CreditPackage[]) {
  const [search] = useSearchParams();
  const [[first, wanted]] = useState(() => firstChoice(packages, readTopUp(search.get("amount") ?? "").micros));
  const [chosen, setChosen] = useState(first);
  const [amount, setAmount] = useState(wanted);
  /** Cents were typed and dropped. */
  const [stopped, setStopped] = useState(false);
  const typed = readTopUp(amount);
  const pays = chosen === undefined ? typed.micros : parseDollars(chosen.amount);
  return {
    chosen,
    amount,
    problem: stopped ? "unreadable" : chosen === undefined ? typed.problem : null,
    pays,
    gives: chosen === undefined ? pays : parseDollars(chosen.total_credits),
    choose(next: CreditPackage): void {
      setChosen(next);
      setAmount(priceOf(next));
      setStopped(false);
    },
    type(text: string, pasted: boolean): void {
      // Digits after the separator are cents, which are dropped.
      if (stopped && !pasted && text.startsWith(amount) && text !== amount) return;
      const kept = wholeDollars(text);
      if (kept === null) return;
      const { micros } = readTopUp(kept.text);
      setStopped(kept.cut);
      setAmount(kept.text);
      setChosen(packages.find((offer) => micros !== null && parseDollars(offer.amount) === micros));
    },
  };
}

/** Selects a package or an amount in whole dollars, optionally with a code, shows the credit, and starts the payment. */
export function TopUpForm({ packages }: { readonly packages: readonly CreditPackage[] }) {
  const { t } = useTranslation("billing");
  const online = useOnline();
  const { chosen, amount, problem, pays, gives, choose, type } = useChoice(packages);
  const order: PromoOrder | null =
    chosen !== undefined ? { package_id: chosen.id } : pays === null ? null : { amount: toDecimalString(pays) };
  const promo = usePromoCode(order);
  const card = useCardChoice();
  const talk = useTalkRates();
  const promoField = useRef<HTMLInputElement>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const { busy, checking, tab, checkOut } = useCheckout((error) => {
    setFailure(messageOf(error, t("checkoutFailure")));
    // The code was valid before: check it again to show why it is refused now.
    if (error instanceof ApiError && error.code === "promo_refused") void promo.askAgain();
    else if (!(error instanceof ApiError && error.fromService)) toast.error(t("topUp.failure"));
  });
  const extra = promo.check === undefined ? 0n : fromDecimalString(promo.check.bonus);
  const gets = gives === null ? null : gives + extra;
  const better = chosen === undefined && pays !== null ? betterPackage(packages, pays) : undefined;

  function submit(): void {
    setFailure(null);
    if (order === null) return;
    if (promo.check !== undefined && promo.check.refusal !== null) return showField(promoField.current);
    const more = { ...(promo.sent === undefined ? {} : { promo_code: promo.sent }), ...card.sent };
    void checkOut(
      "amount" in order
        ? { endpoint: "POST /api/billing/top-up", body: { ...order, ...more } }
        : { endpoint: "POST /api/billing/purchase-package", body: { ...order, ...more } },
    );
  }

  /** Said at the field; that nothing is chosen is said in the bar. */
  const wrong = problem === null || problem === "too_little" ? undefined : t(PROBLEMS[problem]);
  const isPayable = useSeller() !== undefined && online && pays !== null;

  function submitText(): string {
    if (card.chosen === null || pays === null) return t("topUp.submit");
    return t("payWith.submit", {
      amount: formatMoney(toDecimalString(pays)),
      card: cardText(card.chosen).replaceAll(" ", NO_BREAK),
    });
  }

  return (
    <Form
      className={classNames(cardStyles.card, styles.form)}
      noValidate
      onSubmit={(_, wasFilled) => {
        // A saved card pays with one press, so an amount that the button has not shown yet needs another press.
        if (!busy && isPayable && !(wasFilled && card.chosen !== null)) submit();
      }}
    >
      <PackageChoice packages={packages} chosen={chosen} talk={talk.shown} onChoose={choose} />
      <div className={styles.fields}>
        <Field
          label={t("topUp.otherAmount")}
          hint={t("topUp.otherAmountHint")}
          prefix="$"
          inputMode="numeric"
          autoComplete="off"
          value={amount}
          error={wrong}
          onValue={type}
        />
      </div>
      <PromoCodeField ref={promoField} code={promo.code} check={promo.check} checking={promo.checking} onChange={promo.setCode} />
      {better !== undefined && <BetterPackage offer={better} onChoose={() => choose(better)} />}
      <TopUpSummary pays={pays} gets={gets} promo={extra} />
      <PayWith choice={card} />
      {failure !== null && <Banner kind="error">{failure}</Banner>}
      <OtherTabNotice tab={tab} />
      <div className={styles.bar}>
        <p className={styles.buys} aria-live="polite">
          {pays === null || gets === null ? (
            <b>{problem === "too_much" ? "–" : t("topUp.chooseFirst")}</b>
          ) : (
            <>
              <b>{t("topUp.buys", { price: formatMoney(toDecimalString(pays)), credit: formatMoney(toDecimalString(gets)) })}</b>
              <Minutes creditMicros={gets} talk={talk.shown} />
            </>
          )}
        </p>
        <Button pair="credit" size="lg" wide type="submit" busy={busy} disabled={!isPayable}>
          {!busy && <Icon of={IconLock} />}
          <span>{busy ? t(checking ? "topUp.checking" : "topUp.submitting") : submitText()}</span>
        </Button>
        <SellerLine />
      </div>
      <p className={classNames(fieldStyles.hint, styles.note, "row")}>
        <span>
          {`${online ? t(card.chosen === null ? "topUp.note" : "payWith.note") : t("offlineReason")}${card.chosen === null ? ` ${t("topUp.voucherNote")}` : ""}`}
        </span>
        <Link className="link" to="/rates">
          {t("topUp.seeRates")}
        </Link>
      </p>
      <TalkTime talk={talk} creditMicros={gets} />
    </Form>
  );
}

/** Offers a package that gives more credit for less money than the amount typed. */
function BetterPackage({ offer, onChoose }: { readonly offer: CreditPackage; readonly onChoose: () => void }) {
  const { t } = useTranslation("billing");
  const texts = { price: formatWholeDollars(offer.amount), credit: formatMoney(offer.total_credits.toFixed(2)) };
  return (
    <Banner kind="info">
      <p>{t("topUp.better", texts)}</p>
      <Button size="sm" onClick={onChoose}>
        {t("topUp.takeBetter", texts)}
      </Button>
    </Banner>
  );
}

function priceOf(choice: CreditPackage | undefined): string {
  return choice === undefined ? "" : String(Math.floor(choice.amount));
}

/** Focuses a field, even if it is folded away. */
function showField(field: HTMLElement | null): void {
  field?.closest("details")?.setAttribute("open", "");
  field?.focus();
}

interface SummaryProps {
  readonly pays: Micros | null;
  /** Including all bonuses. */
  readonly gets: Micros | null;
  /** The part of it that comes from the promo code. */
  readonly promo: Micros;
}

/** The price, the credit, and the estimate in minutes. */
function TopUpSummary({ pays, gets, promo }: SummaryProps) {
  const { t } = useTranslation("billing");
  const money = (micros: Micros | null) => (micros === null ? "–" : formatMoney(toDecimalString(micros)));
  const bonus = pays === null || gets === null ? 0n : gets - pays;
  return (
    <dl className={styles.sum} aria-live="polite">
      <div>
        <dt>{t("topUp.youPay")}</dt>
        <dd>{money(pays)}</dd>
      </div>
      <div>
        <dt>{t("topUp.youGet")}</dt>
        <dd>{money(gets)}</dd>
      </div>
      {bonus > 0n && (
        <div className={styles.part}>
          <dt>{promo > 0n ? t("topUp.bonusWithCode") : t("topUp.bonus")}</dt>
          <dd>{money(bonus)}</dd>
        </div>
      )}
      {gets !== null && (
        <div className={styles.est}>
          <dt className="sr-only">{t("topUp.estimateLabel")}</dt>
          <dd>{t("topUp.estimate", { minutes: formatCount(estimatedMinutes(gets)) })}</dd>
        </div>
      )}
    </dl>
  );
}

/** Packages as large radio buttons. A border and check mark the choice, not colour alone. */
function PackageChoice({ packages, chosen, talk, onChoose }: PackageChoiceProps) {
  const { t } = useTranslation("billing");
  return (
    <fieldset>
      <legend className={classNames(styles.legend, "t-sub")}>{t("topUp.choose")}</legend>
      <div className={styles.packs}>
        {packages.map((offer) => (
          <label className={styles.pack} key={offer.id}>
            <input
              type="radio"
              name="package"
              value={offer.id}
              checked={chosen?.id === offer.id}
              onChange={() => onChoose(offer)}
            />
            <span className={styles.packCard}>
              {offer.is_popular && <span className={styles.pop}>{t("topUp.popular")}</span>}
              <Icon of={IconCircleCheckFilled} className={styles.check} />
              <span className={styles.amount}>
                <Fitted text={formatWholeDollars(offer.amount)} />
              </span>
              {offer.bonus_percentage > 0 && (
                <span className={styles.tags}>
                  <span className={styles.tag}>{t("topUp.free", { percent: offer.bonus_percentage })}</span>
                </span>
              )}
              <span className={styles.get}>
                {t("topUp.packageGives", { amount: formatMoney(offer.total_credits.toFixed(2)) })}
              </span>
              <Minutes creditMicros={parseDollars(offer.total_credits)} talk={talk} />
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** "About 45 min to Ghana". */
function Minutes({ creditMicros, talk }: { readonly creditMicros: Micros | null; readonly talk: Rate | null }) {
  const { t, i18n } = useTranslation("billing");
  const minutes = creditMicros === null || talk === null ? null : talkMinutes(creditMicros, talk);
  if (talk === null || minutes === null) return null;
  const country = localCountryName(i18n.language, talk.country_code, talk.country_name);
  return <strong className={styles.minutes}>{t("talk.to", { minutes: formatMinutes(minutes), country })}</strong>;
}
