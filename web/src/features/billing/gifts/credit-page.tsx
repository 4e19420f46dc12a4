import { guestThanksPath, mailLinkPaths } from "@farline/contract/constants.ts";
import type { OpenedCreditRequest } from "@farline/contract/gifts/gifts.ts";
import { MICROS_PER_DOLLAR, toDecimalString, fromDecimalString } from "@farline/domain/money.ts";
import { IconCheck, IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useSearchParams } from "react-router";
import { useOtherSite } from "../../../browser/open-tab.ts";
import { useOnline, useTitle } from "../../../browser/page-hooks.ts";
import { ApiError, request } from "../../../service/http.ts";
import { withProof } from "../../../service/robot-check.ts";
import { useServiceForm } from "../../../service/use-service-form.ts";
import { useLinkToken } from "../../../session/address-secrets.ts";
import { keepReturnPath } from "../../../session/return-path.ts";
import { useToken } from "../../../session/session.ts";
import { formatDate, formatMinutes, formatMoney, formatWholeDollars } from "../../../text/format.ts";
import { countryName, currentLanguage } from "../../../text/i18n.ts";
import { Button, ButtonLink, Spinner } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { Field } from "../../../ui/forms/field.tsx";
import { Form } from "../../../ui/forms/form.tsx";
import { MoneyField } from "../../../ui/forms/form-fields.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { ClosedLink, LinkHeader, LinkPage } from "../../../ui/link-page.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { PROVIDER_TIMEOUT_MS } from "../../../ui/money/checkout.ts";
import { SellerLine, useSeller } from "../../../ui/money/seller-line.tsx";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as rowsStyles from "../../../ui/rows.module.css";
import * as slipStyles from "../documents/receipt.module.css";
import * as payStyles from "../top-up/top-up.module.css";
import { readTopUp } from "../top-up/amount.ts";
import { isFinal, usePaymentPoll } from "../top-up/payment-poll.ts";
import { GiveForm } from "./give-form.tsx";

const AMOUNTS = ["5", "10", "20"] as const;
const DEFAULT_AMOUNT = "20";

/** The pages of a link by which somebody asks for credit: the link's, and the one after a guest has paid. */
export function CreditPage() {
  return useLocation().pathname === guestThanksPath ? <GuestThanks /> : <Asked />;
}

/** Anyone can pay: with an account, or as a guest. Opening the page changes nothing. */
function Asked() {
  const { t } = useTranslation("billing");
  const token = useLinkToken(mailLinkPaths.creditRequest);
  return <LinkPage>{token === null ? <ClosedLink text={t("guest.noLink")} /> : <Opened key={token} token={token} />}</LinkPage>;
}

function Opened({ token }: { readonly token: string }) {
  const { t } = useTranslation("billing");
  const signedIn = useToken() !== null;
  const asker = useQuery({
    queryKey: ["credit-request", token],
    queryFn: ({ signal }) => request("POST /api/credit-requests/open", { body: { token }, signal }),
    retry: false,
  });
  useTitle(asker.data === undefined ? t("gifts.title") : t("guest.title", { name: asker.data.name }));
  if (asker.error instanceof ApiError && asker.error.code === "link_expired") return <ClosedLink text={asker.error.message} />;
  if (asker.isError) return <LoadFailure text={t("gifts.failure")} of={asker} />;
  if (asker.data === undefined) return <SkeletonRows rows={4} />;
  const { name, note } = asker.data;
  return (
    <>
      <LinkHeader title={t("guest.title", { name })}>
        {note !== "" && (
          <p>
            <q dir="auto">{note}</q>
          </p>
        )}
      </LinkHeader>
      <p>{t("guest.about", { name })}</p>
      {signedIn ? <GiveForm token={token} name={name} /> : <GuestForm token={token} asker={asker.data} />}
    </>
  );
}

interface GuestFormProps {
  readonly token: string;
  readonly asker: OpenedCreditRequest;
}

function GuestForm({ token, asker }: GuestFormProps) {
  const { t } = useTranslation(["billing", "auth"]);
  const online = useOnline();
  const isReady = useSeller() !== undefined && online;
  const [checking, setChecking] = useState(false);
  const site = useOtherSite();
  const [amount, setAmount] = useState(asker.amount === null ? DEFAULT_AMOUNT : plainAmount(asker.amount));
  const { micros: pays, problem } = readTopUp(amount);
  const isTooMuch = pays !== null && pays > fromDecimalString(asker.guest_most);
  const { name } = asker;
  const form = useServiceForm({
    empty: { email: "", name: "", greeting: "" },
    send: async (values) => {
      if (pays === null || isTooMuch || !isReady) return;
      const body = { token, amount: toDecimalString(pays), language: currentLanguage(), ...values };
      const order = () =>
        withProof(
          (proof) => request("POST /api/credit-requests/pay", { body: { ...body, proof }, timeoutMs: PROVIDER_TIMEOUT_MS }),
          setChecking,
        );
      await site.go(async () => (await order()).checkout_url);
    },
    fallback: t("gifts.payFailure"),
  });
  // Until the browser has left: a second order would count against what the asker may receive.
  const busy = form.busy || site.busy;
  const payText = () =>
    pays === null ? t("gifts.pay", { name }) : t("guest.pay", { amount: formatMoney(toDecimalString(pays)) });
  return (
    <Form className={classNames(payStyles.form, payStyles.guest)} noValidate onSubmit={form.submit}>
      <div className={rowsStyles.chips} role="group" aria-label={t("gifts.amount")}>
        {AMOUNTS.map((quick) => (
          <button
            key={quick}
            type="button"
            className={rowsStyles.chip}
            aria-pressed={pays === BigInt(quick) * MICROS_PER_DOLLAR}
            onClick={() => setAmount(quick)}
          >
            {formatWholeDollars(Number(quick))}
          </button>
        ))}
      </div>
      <MoneyField
        label={t("gifts.amount")}
        {...(problem === null ? {} : { error: t(problem === "unreadable" ? "amount.unreadable" : "gifts.amountHint") })}
        value={amount}
        onValue={setAmount}
      />
      {isTooMuch && <NeedsAccount most={asker.guest_most} />}
      <Field label={t("guest.email")} type="email" autoComplete="email" {...form.required("email", t("auth:emailRequired"))} />
      <Field label={t("guest.name", { name })} autoComplete="given-name" {...form.required("name", t("auth:nameRequired"))} />
      <Field
        label={t("gifts.greeting")}
        hint={t("gifts.greetingHint")}
        autoComplete="off"
        dir="auto"
        {...form.field("greeting", {})}
      />
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      <p className={fieldStyles.hint}>{online ? t("guest.rules", { name }) : t("offlineReason")}</p>
      <div className={payStyles.bar}>
        {pays !== null && <Buys pays={pays} calls={asker.calls} />}
        <Button pair="credit" size="lg" wide type="submit" busy={busy} disabled={!isReady || pays === null || isTooMuch}>
          {!busy && <Icon of={IconLock} />}
          <span>{busy || checking ? t("gifts.paying") : payText()}</span>
        </Button>
        <SellerLine />
      </div>
    </Form>
  );
}

/** "20" of "20.00", as somebody would type it. */
function plainAmount(dollars: string): string {
  return dollars.replace(/\.00$/, "");
}

/** The credit, and what it is worth where the person calls, which they chose to say. */
function Buys({ pays, calls }: { readonly pays: bigint; readonly calls: OpenedCreditRequest["calls"] }) {
  const { t } = useTranslation("billing");
  const price = calls === null ? 0n : fromDecimalString(calls.rate);
  const amount = formatMoney(toDecimalString(pays));
  return (
    <p className={payStyles.buys} aria-live="polite">
      <b>{t("topUp.buys", { price: amount, credit: amount })}</b>
      {calls !== null && price > 0n && (
        <span>
          {t("guest.buys", {
            minutes: formatMinutes(Number(pays / price)),
            country: countryName(calls.country, calls.country_name),
          })}
        </span>
      )}
    </p>
  );
}

/** More than a guest may pay is said before anything is pressed; the link is kept for after signing in. */
function NeedsAccount({ most }: { readonly most: string }) {
  const { t } = useTranslation("billing");
  return (
    <Banner kind="info">
      <p>{t("guest.needsAccount", { most: formatMoney(most) })}</p>
      <p>
        <Link className="link" to="/login" onClick={() => keepReturnPath(mailLinkPaths.creditRequest, null)}>
          {t("guest.signIn")}
        </Link>
      </p>
    </Banner>
  );
}

/** Where the card provider sends a guest after paying. Shows the service's state, never the address's. */
function GuestThanks() {
  const { t } = useTranslation("billing");
  const [search] = useSearchParams();
  const sessionId = search.get("session_id") ?? "";
  if (sessionId === "") return <Thanks title={t("guest.unknown")} text={t("guest.unknownText")} />;
  return <GuestOutcome sessionId={sessionId} />;
}

function GuestOutcome({ sessionId }: { readonly sessionId: string }) {
  const { t } = useTranslation("billing");
  const { data, isUnknown, late, again } = usePaymentPoll(["guest-payment", sessionId], (signal) =>
    request("POST /api/credit-requests/outcome", { signal, body: { session_id: sessionId } }),
  );
  if (isUnknown) return <Thanks title={t("guest.unknown")} text={t("guest.unknownText")} />;
  if (data === undefined || !isFinal(data))
    return late ? (
      <Thanks title={t("success.slowTitle")} text={t("guest.slow")}>
        <Button pair="action" size="lg" onClick={again}>
          {t("success.slowAgain")}
        </Button>
      </Thanks>
    ) : (
      <Thanks title={t("success.waiting")} busy />
    );
  const amount = formatMoney(data.amount);
  if (data.status === "pending")
    return <Thanks title={t("success.pendingTitle")} text={t("guest.pending", { name: data.name })} />;
  if (data.status !== "paid") return <Thanks title={t("success.failedTitle")} text={t("guest.failed")} />;
  const { name, due_at: due } = data;
  const text =
    data.credit === "held" && due !== null
      ? t("guest.held", { name, date: formatDate(due) })
      : data.goes_back !== null
        ? t(keptKey(data.goes_back, data.amount), { name, amount: formatMoney(data.goes_back) })
        : t("guest.given", { name, amount });
  return <Thanks title={t("guest.thanks")} text={`${text} ${t("guest.receipt")}`} done />;
}

/** @param goesBack dollars, as `paid` */
function keptKey(goesBack: string, paid: string) {
  if (goesBack === paid) return "guest.kept";
  return Number(goesBack) > 0 ? "guest.keptPart" : "guest.keptForDebt";
}

interface ThanksProps {
  readonly title: string;
  readonly text?: string;
  readonly busy?: boolean;
  readonly done?: boolean;
  /** Actions before the link to the start page. */
  readonly children?: ReactNode;
}

function Thanks({ title, text, busy = false, done = false, children }: ThanksProps) {
  const { t } = useTranslation("billing");
  useTitle(title);
  return (
    <LinkPage>
      <section className={slipStyles.slip} aria-labelledby="outcome">
        <div className={classNames(done ? slipStyles.top : slipStyles.head, done && "on-credit")} role="status">
          {done && (
            <span className={slipStyles.ok}>
              <Icon of={IconCheck} />
            </span>
          )}
          {busy && <Spinner large />}
          <h1 className="t-page" id="outcome">
            {title}
          </h1>
          {text !== undefined && <p>{text}</p>}
        </div>
        {!busy && (
          <div className={slipStyles.actions}>
            {children}
            <ButtonLink to="/">{t("guest.home")}</ButtonLink>
          </div>
        )}
      </section>
    </LinkPage>
  );
}
