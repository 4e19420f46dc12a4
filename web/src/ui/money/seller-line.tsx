import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { configQuery } from "../../service/queries.ts";
import * as fieldStyles from "../forms/field.module.css";

/** Shown beside a pay button: the seller, and what happens to unused credit. */
export function SellerLine() {
  const { t } = useTranslation("common");
  const { data } = useQuery(configQuery);
  if (data === undefined) return null;
  const { seller } = data;
  const named = { seller: [seller.name, ...seller.address].join(", ") };
  return (
    <p className={fieldStyles.hint}>
      <span>{seller.sample ? t("seller.sample", named) : t("seller.paid", named)}</span> <span>{t("seller.unused")}</span>{" "}
      <a className="link" href="/terms" target="_blank">
        {t("seller.terms")}
      </a>
    </p>
  );
}
