import type { SellerNotice } from "@farline/contract/public-pages.ts";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { configQuery } from "../../service/queries.ts";
import { LoadFailure } from "../empty-state.tsx";
import { SellerFacts } from "./seller-facts.tsx";

/** Whom a customer pays. Undefined until it is known: nobody can pay before. */
export function useSeller(): SellerNotice | undefined {
  return useQuery(configQuery).data?.seller;
}

/** Shown beside a pay button: the seller, and what happens to unused credit. */
export function SellerLine() {
  const { t } = useTranslation("billing");
  const config = useQuery(configQuery);
  if (config.data !== undefined) return <SellerFacts seller={config.data.seller} paying />;
  return config.isError ? <LoadFailure text={t("seller.failure")} of={config} /> : null;
}
