import type { CallQuoteResponse } from "@farline/contract/calls.ts";
import type { ContactNumber } from "@farline/contract/contacts.ts";
import type { CallPrice } from "@farline/contract/rates.ts";
import { type BillingRate, longestCallSeconds, MIN_FREE_CALL_SECONDS } from "@farline/domain/calls/charge.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { costsNoMore } from "@farline/domain/rates/sale-terms.ts";
import { useEffect } from "react";
import { useDebounced } from "../../../time/use-now.ts";
import { ApiError, messageOf } from "../../../service/http.ts";
import { balanceQuery } from "../../../service/queries.ts";
import { type AskedNumber, callQuoteQuery, mobileRate, ratesQuery, typedNumber, useCreditToConfirm } from "../dialer-queries.ts";
import type { NumberEntry } from "../number/use-number-entry.ts";
import { phone } from "../phone-session.ts";
import { countryName } from "../../../text/i18n.ts";

/** Pause in typing after which the price is requested. */
const ASK_AFTER_MS = 250;

/** The service's quote for exactly the number in the field. */
export type NumberPrice =
  /** The number is incomplete. */
  | { readonly state: "none" }
  | { readonly state: "asking" }
  | { readonly state: "quoted"; readonly quote: CallQuoteResponse }
  /** The number cannot be called. */
  | { readonly state: "refused"; readonly reason: string; readonly choices: ApiError["choices"] }
  /** The price could not be fetched; the next press retries. */
  | { readonly state: "unanswered"; readonly reason: string; retry(): void };

/** What most calls to a country's mobiles cost, shown until the number's own is known. */
interface UsualPrice {
  readonly ratePerMinute: string;
  readonly description: string;
}

/** @param atOnce request without waiting for a pause in typing */
export function useNumberPrice(entry: NumberEntry, atOnce: boolean): NumberPrice {
  const { t } = useTranslation("dialer");
  const wanted = askedNumber(entry);
  const key = JSON.stringify(wanted);
  const isSettled = useDebounced(key, ASK_AFTER_MS, atOnce) === key;
  const enabled = wanted !== null && isSettled;
  const query = useQuery({ ...callQuoteQuery(wanted ?? { number: "", country: null }), enabled });
  if (wanted === null) return { state: "none" };
  if (query.isError && !query.isFetching) {
    const { error } = query;
    if (!(error instanceof ApiError) || !error.fromService || error.status === 429 || error.status >= 500)
      return { state: "unanswered", reason: messageOf(error, t("rate.unanswered")), retry: () => void query.refetch() };
    return { state: "refused", reason: messageOf(error, t("error.initiate_failed")), choices: error.choices };
  }
  return query.data === undefined || query.isError ? { state: "asking" } : { state: "quoted", quote: query.data };
}

/** The price of a country before its number is known; null without one. */
export function useUsualPrice(entry: NumberEntry): { readonly price: UsualPrice | null; readonly loading: boolean } {
  const { t } = useTranslation("dialer");
  const { data, isPending } = useQuery(ratesQuery);
  const countryCode = entry.destination;
  const usual = countryCode === null ? null : mobileRate(data, countryCode);
  if (countryCode === null || usual === null) return { price: null, loading: isPending };
  const country = countryName(countryCode, countryByCode(countryCode)?.name ?? usual.country_name);
  const price = { ratePerMinute: usual.our_rate_per_minute, description: t("rate.countryMobile", { country }) };
  return { price, loading: false };
}

/** A price as the service writes it. Default: charged by the second. */
export type PriceText = Pick<CallPrice, "rate_per_minute"> & Partial<Pick<ContactNumber, "first_interval_s" | "next_interval_s">>;

export function billingRateOf(price: PriceText): BillingRate {
  return {
    ratePerMinuteMicros: fromDecimalString(price.rate_per_minute),
    firstIntervalSeconds: price.first_interval_s ?? 1,
    nextIntervalSeconds: price.next_interval_s ?? 1,
  };
}

/** Why Call Now would be refused; null if it is not, or only for lack of credit, which is checked again at the press. */
export function blockingRefusal(quote: CallQuoteResponse): CallQuoteResponse["refusal"] {
  return quote.refusal?.code === "insufficient_credit" ? null : quote.refusal;
}

/** Refusals that a confirmed address with its credit for a first call lifts. */
const UNTIL_CONFIRMED: ReadonlySet<string> = new Set(["insufficient_credit", "no_credit", "email_not_confirmed"]);
const LONGEST_FREE_SECONDS = 3600;

/** Seconds that the number's first call will be free once the address is confirmed, if nothing else hinders it; otherwise null. */
export function useConfirmFirst(price: NumberPrice): number | null {
  const credit = useCreditToConfirm();
  const { data: balance } = useQuery(balanceQuery);
  if (credit === null || price.state !== "quoted" || balance?.family) return null;
  const { price: its, refusal } = price.quote;
  if (refusal === null || !UNTIL_CONFIRMED.has(refusal.code)) return null;
  const seconds = longestCallSeconds(fromDecimalString(credit), billingRateOf(its), LONGEST_FREE_SECONDS);
  return seconds < MIN_FREE_CALL_SECONDS ? null : seconds;
}

/** Null while the number is incomplete. Until the numbering plans are loaded, the service parses the typed text. */
function askedNumber({ number, text, countryCode }: NumberEntry): AskedNumber | null {
  if (number !== null) return number.ok ? { number: number.e164, country: null } : null;
  return typedNumber(text, countryCode);
}

/** A press on a call button before the number's price was shown. */
export interface WaitingPress {
  /** The price of an earlier call or beside a name; null for the country's usual price, which is on the screen. */
  readonly seen: BillingRate | null;
  /** The loaded price is above the one seen: only another press accepts it. */
  readonly priceIsHigher: boolean;
}

interface PressOn {
  readonly entry: NumberEntry;
  readonly price: NumberPrice;
  readonly usual: UsualPrice | null;
  readonly press: WaitingPress | null;
  readonly setPress: (press: WaitingPress | null) => void;
}

export interface CallPress {
  /** The price is being fetched; the call follows, unless it is higher than what was seen. */
  readonly waiting: boolean;
  readonly priceIsHigher: boolean;
  /** Calls the number in the field, at the price shown. */
  press(): void;
  /** Like `press`, for a number just filled in with a price that the caller has seen or paid. */
  pressFor(seen: PriceText): void;
}

/**
 * Dials the number in the field at the price on the screen. A press before that price has loaded is kept until it loads, or
 * until the number is edited: the call then starts only if its price is not above the one shown at the press.
 */
export function useCallPress({ entry, price, usual, press, setPress }: PressOn): CallPress {
  const waiting = press !== null && !press.priceIsHigher;
  const dial = (quoted: Extract<NumberPrice, { state: "quoted" }>): void => {
    if (blockingRefusal(quoted.quote) !== null) return;
    const { price: shown } = quoted.quote;
    entry.extension.keep(shown.number);
    const extension = entry.extension.text ?? "";
    phone.dial({ price: shown, name: entry.name, ...(extension === "" ? {} : { extension }) });
  };
  useEffect(() => {
    if (!waiting || price.state === "asking") return;
    const seen = press.seen ?? (usual === null ? null : billingRateOf({ rate_per_minute: usual.ratePerMinute }));
    const isWithin = price.state !== "quoted" || (seen !== null && costsNoMore(billingRateOf(price.quote.price), seen));
    setPress(isWithin ? null : { ...press, priceIsHigher: true });
    if (price.state === "quoted" && isWithin) dial(price);
  });
  const wait = (seen: BillingRate | null): void => {
    phone.unlockSound();
    setPress({ seen, priceIsHigher: false });
  };
  return {
    waiting,
    priceIsHigher: press?.priceIsHigher === true,
    press: () => {
      if (price.state === "quoted") {
        setPress(null);
        dial(price);
      } else if (price.state === "asking") wait(null);
      else if (price.state === "unanswered") price.retry();
    },
    pressFor: (seen) => wait(billingRateOf(seen)),
  };
}
