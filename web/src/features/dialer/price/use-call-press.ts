import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { costsNoMore } from "@farline/domain/rates/sale-terms.ts";
import { useEffect } from "react";
import { phone } from "../phone-session.ts";
import type { NumberEntry } from "../number/use-number-entry.ts";
import { billingRateOf, blockingRefusal, type NumberPrice, type PriceText, type UsualPrice } from "./use-number-price.ts";

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
