import type { Transaction } from "@farline/contract/billing.ts";
import { useTranslation } from "react-i18next";
import { leftToRight } from "../../text/i18n.ts";

type Entry = Pick<Transaction, "kind" | "type" | "description" | "about" | "promo_code" | "member">;

/** The kind of an entry, in the reader's language. */
export function useKindText(): (row: Entry) => string {
  const { t } = useTranslation("billing");
  return ({ kind, type, description, about, promo_code: code, member }) => {
    switch (kind) {
      case "call": {
        if (member !== null)
          return member.name === null ? t("list.kind.memberCall") : t("list.kind.callBy", { name: member.name });
        const number = calledNumber({ description });
        return number === null ? description : t("list.kind.call", { number });
      }
      case "top_up":
        return t(about === "automatic" ? "list.kind.automatic" : "list.kind.top_up");
      case "bonus":
        if (type === "debit") return t("list.kind.bonusTaken");
        if (about === "promo_code") return t("list.kind.promoCode", { code: leftToRight(code ?? "") });
        return t(about !== null && about in grants ? `list.kind.${grants[about as keyof typeof grants]}` : "list.kind.bonus");
      case "gift":
        if (about === "gift_returned") return t("list.kind.giftReturned");
        return t(type === "debit" ? "list.kind.giftSent" : "list.kind.giftReceived");
      default:
        return t(`list.kind.${kind}`);
    }
  };
}

/** The number in the description of a call; null once it is masked. */
export function calledNumber({ description }: Pick<Entry, "description">): string | null {
  const number = /\+[\d ]+$/.exec(description)?.[0];
  return number === undefined ? null : leftToRight(number);
}

const grants = { welcome: "welcome", invitation: "invitation", first_call: "firstCall" } as const;
