import { writing, type Language } from "@farline/domain/languages.ts";
import { catalogue } from "@farline/texts/catalogue.ts";
import { paymentMethodName } from "@farline/domain/payment-method-name.ts";
import type { Micros } from "@farline/domain/money.ts";
import { isolate, withoutIsolates } from "@farline/domain/text/text-direction.ts";
import type { LedgerLine } from "../../ledger/ledger.ts";
import { subjectOf } from "../record/entry-subject.ts";
import type { ReceiptRow } from "./receipt.store.ts";

export type DocumentTexts = ReturnType<typeof documentTexts>;

/** The descriptions of a statement's entries. */
type LineTexts = DocumentTexts["statement"]["lines"];

/** The texts of receipts and statements. */
export function documentTexts(language: Language) {
  return catalogue(language, "documents");
}

/** Fills a text's placeholders with values that cannot change the order of the words around them. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => isolate(withoutIsolates(values[name] ?? "")));
}

/** "Visa •••• 4242" or "PayPal"; null if the provider did not report the payment method. */
export function cardName(of: { card_brand: string | null; card_last4: string | null }): string | null {
  return of.card_brand === null ? null : paymentMethodName({ brand: of.card_brand, last4: of.card_last4 });
}

/** The credit that a receipt's buyer received; null for refunds and for credit bought for somebody else. */
export function creditReceived(
  receipt: Pick<ReceiptRow, "kind" | "amount_micros" | "bonus_micros" | "for_other">,
): Micros | null {
  const isTopUp = receipt.kind === "payment" || receipt.kind === "auto_top_up";
  return isTopUp && !receipt.for_other ? receipt.amount_micros + receipt.bonus_micros : null;
}

/** Describes an entry in a language. */
export function describeLine(line: Pick<LedgerLine, "kind" | "description" | "amountMicros">, texts: LineTexts): string {
  const { about, promoCode, phoneNumber } = subjectOf(line);
  switch (line.kind) {
    case "call":
      return phoneNumber === null ? texts.memberCall : fill(texts.call, { number: phoneNumber });
    case "top_up":
      return about === "automatic" ? texts.automatic : texts.top_up;
    case "bonus":
      if (line.amountMicros < 0n) return texts.bonusTaken;
      if (about === "promo_code") return fill(texts.promoCode, { code: promoCode ?? "" });
      if (about === "welcome" || about === "invitation") return texts[about];
      return about === "first_call" ? texts.firstCall : texts.bonus;
    case "gift":
      if (about === "gift_returned") return texts.giftReturned;
      return line.amountMicros < 0n ? texts.giftSent : texts.giftReceived;
    default:
      return texts[line.kind];
  }
}

const FORMAT_OPTIONS = { timeZone: "UTC", numberingSystem: "latn", calendar: "gregory" } as const;

interface Formats {
  readonly date: Intl.DateTimeFormat;
  readonly time: Intl.DateTimeFormat;
  readonly month: Intl.DateTimeFormat;
}

const known = new Map<Language, Formats>();

function formatsOf(language: Language): Formats {
  const locale = writing[language].dates;
  const formats = known.get(language) ?? {
    date: new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric", ...FORMAT_OPTIONS }),
    time: new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...FORMAT_OPTIONS }),
    month: new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", ...FORMAT_OPTIONS }),
  };
  known.set(language, formats);
  return formats;
}

/** "18 May 2026" */
export function dateText(instant: Date, language: Language): string {
  return formatsOf(language).date.format(instant);
}

/** "18 May 2026, 19:42 UTC" */
export function timeText(instant: Date, language: Language): string {
  const { date, time } = formatsOf(language);
  return `${date.format(instant)}${writing[language].direction === "rtl" ? "،" : ","} ${time.format(instant)} UTC`;
}

/** "May 2026" */
export function monthText(instant: Date, language: Language): string {
  return formatsOf(language).month.format(instant);
}
