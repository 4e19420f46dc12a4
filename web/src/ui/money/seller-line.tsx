import { useQuery } from "@tanstack/react-query";
import { configQuery } from "../../service/queries.ts";
import { SellerFacts } from "./seller-facts.tsx";

/** Shown beside a pay button: the seller, and what happens to unused credit. */
export function SellerLine() {
  const { data } = useQuery(configQuery);
  return data === undefined ? null : <SellerFacts seller={data.seller} paying />;
}
