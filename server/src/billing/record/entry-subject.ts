import type { Transaction } from "@farline/contract/billing.ts";
import type { LedgerLine } from "../../ledger/ledger.ts";
import { BONUS_DESCRIPTIONS } from "../../promotions/promotions.ts";

/** The details of an entry from which it is described in any language. */
interface EntrySubject {
  readonly about: Transaction["about"];
  readonly promoCode: string | null;
  /** The formatted number of a call: "+44 20 7946 0001". */
  readonly phoneNumber: string | null;
}

/** Descriptions of credit that moves between two customers, for operators. */
export const GIFT_DESCRIPTIONS = { given: "Credit given", returned: "Given credit returned" } as const;

const AUTOMATIC = "Automatic top-up by card";
const BY_HAND = "Top-up by card";
const PROMO_CODE = "Promo code ";
/** The masked number of an old call ends with a star. */
const NUMBER = /\+\d[\d ]*\*?$/;

/** A top-up's description in the ledger, for operators. */
export function topUpDescription(automatic: boolean): string {
  return automatic ? AUTOMATIC : BY_HAND;
}

/** A promo bonus's description in the ledger. */
export function promoDescription(code: string): string {
  return `${PROMO_CODE}${code}`;
}

/** The call or payment behind an entry; null for a family member's call, which is not the account's to open. */
export function referenceOf({ callerId, referenceId }: Pick<LedgerLine, "callerId" | "referenceId">): string | null {
  return callerId === null ? referenceId : null;
}

/** Parses a description in the ledger: the forms above, those of promotions, and a call's number at the end. */
export function subjectOf({ kind, description }: Pick<LedgerLine, "kind" | "description">): EntrySubject {
  const nothing = { about: null, promoCode: null, phoneNumber: null };
  if (kind === "top_up") return { ...nothing, about: description === AUTOMATIC ? "automatic" : null };
  if (kind === "gift") return { ...nothing, about: description === GIFT_DESCRIPTIONS.returned ? "gift_returned" : null };
  if (kind === "call" || kind === "call_refund")
    return { ...nothing, phoneNumber: NUMBER.exec(description)?.[0].replace("*", "…") ?? null };
  if (kind !== "bonus") return nothing;
  if (description.startsWith(PROMO_CODE))
    return { ...nothing, about: "promo_code", promoCode: description.slice(PROMO_CODE.length) };
  const known = Object.entries(BONUS_DESCRIPTIONS).find(([, text]) => text === description)?.[0];
  return { ...nothing, about: (known as keyof typeof BONUS_DESCRIPTIONS | undefined) ?? null };
}
