import type { Transaction } from "@farline/contract/billing.ts";
import { useTranslation } from "react-i18next";
import { leftToRight } from "../../lib/left-to-right.ts";

/** What an entry is, in the reader's language. What a person wrote about it stays as it was written. */
export function useKindText(): (row: Pick<Transaction, "kind" | "type" | "description">) => string {
  const { t } = useTranslation("billing");
  return ({ kind, type, description }) => {
    switch (kind) {
      case "call": {
        const number = /\+[\d ]+$/.exec(description)?.[0];
        return number === undefined ? description : t("list.kind.call", { number: leftToRight(number) });
      }
      case "bonus":
        return t(type === "credit" ? "list.kind.bonus" : "list.kind.bonusTaken");
      case "adjustment":
        return description;
      default:
        return t(`list.kind.${kind}`);
    }
  };
}
