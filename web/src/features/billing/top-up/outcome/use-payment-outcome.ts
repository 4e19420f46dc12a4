import type { ConfirmRequest, ConfirmResponse } from "@farline/contract/billing.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError, request } from "../../../../service/http.ts";
import { refreshMoney } from "../../../../service/queries.ts";
import { after } from "../../../../time/timers.ts";

/** Polling of an open payment: interval and limit. */
const POLL_INTERVAL_MS = 2000;
const POLL_LIMIT_MS = 60_000;

export type PaymentOutcome =
  | { readonly state: "waiting" }
  /** The money arrives later: the page can be closed. */
  | { readonly state: "pending" }
  | { readonly state: "paid"; readonly payment: ConfirmResponse }
  | { readonly state: "failed"; readonly problem: ConfirmResponse["problem"] }
  /** This customer has no such payment. */
  | { readonly state: "unknown" }
  /** Still open after the time limit, or the service cannot be reached. */
  | { readonly state: "slow"; readonly again: () => void };

/** Polls a payment until its outcome is final, for at most a minute. */
export function usePaymentOutcome(wanted: ConfirmRequest): PaymentOutcome {
  const [late, setLate] = useState(false);
  const query = useQuery({
    queryKey: ["payment", wanted],
    queryFn: ({ signal }) => request("POST /api/billing/confirm", { signal, body: wanted }),
    refetchInterval: ({ state }) => (late || isFinal(state.data) || isRefused(state.error) ? false : POLL_INTERVAL_MS),
    retry: false,
    staleTime: 0,
  });
  useEffect(() => {
    if (late) return undefined;
    return after(POLL_LIMIT_MS, () => setLate(true));
  }, [late]);
  const paid = query.data?.status === "paid";
  useEffect(() => {
    if (paid) void refreshMoney();
  }, [paid]);

  if (query.data?.status === "paid") return { state: "paid", payment: query.data };
  if (query.data?.status === "pending") return { state: "pending" };
  if (query.data !== undefined && isFinal(query.data)) return { state: "failed", problem: query.data.problem };
  if (isRefused(query.error)) return { state: "unknown" };
  if (!late) return { state: "waiting" };
  return {
    state: "slow",
    again: () => {
      setLate(false);
      void query.refetch();
    },
  };
}

function isFinal(payment: ConfirmResponse | undefined): boolean {
  return payment !== undefined && payment.status !== "open";
}

function isRefused(error: Error | null): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 422);
}
