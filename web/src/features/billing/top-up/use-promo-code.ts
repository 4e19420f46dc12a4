import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { promoQuery, type PromoOrder } from "./promo-queries.ts";
import { after } from "../../../time/timers.ts";

/** Debounce delay after the last keystroke. */
const TYPED_AFTER_MS = 400;

/** A promo code as it is typed, and the service's answer for the selected top-up. */
export function usePromoCode(order: PromoOrder | null) {
  const [code, setCode] = useState("");
  const [typed, setTyped] = useState("");
  const wanted = code.trim();
  useEffect(() => {
    return after(TYPED_AFTER_MS, () => setTyped(wanted));
  }, [wanted]);
  const { data, isFetching, refetch } = useQuery(promoQuery(typed, order));
  const current = wanted !== "" && typed === wanted ? data : undefined;
  return {
    code,
    setCode,
    /** What to send; undefined for none. */
    sent: wanted === "" ? undefined : wanted,
    check: current,
    checking: wanted !== "" && typed === wanted && data === undefined && isFetching,
    askAgain: refetch,
  };
}
