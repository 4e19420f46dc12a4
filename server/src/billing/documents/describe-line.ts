import type { LedgerLine } from "../../ledger/ledger.ts";
import { subjectOf } from "../record/entry-subject.ts";
import { fill, type LineTexts } from "./document-texts.ts";

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
