import type { ConfirmResponse } from "@farline/contract/billing.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError } from "../../../service/http.ts";
import { after } from "../../../time/timers.ts";

/** Polling of an open payment: interval and limit. */
const POLL_INTERVAL_MS = 2000;
const POLL_LIMIT_MS = 60_000;

interface PaymentPoll<Answer> {
  /** The latest answer; undefined until the first. */
  readonly data: Answer | undefined;
  /** The service knows no such payment of this payer. Without an answer, or refused for another reason, it may well exist. */
  readonly isUnknown: boolean;
  /** The time limit has passed. */
  readonly late: boolean;
  readonly again: () => void;
}

/** Asks about a payment until its outcome is final, for at most a minute. @param key of the query */
export function usePaymentPoll<Answer extends Pick<ConfirmResponse, "status">>(
  key: readonly unknown[],
  ask: (signal: AbortSignal) => Promise<Answer>,
): PaymentPoll<Answer> {
  const [late, setLate] = useState(false);
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => ask(signal),
    refetchInterval: ({ state }) => (late || isFinal(state.data) || isRefused(state.error) ? false : POLL_INTERVAL_MS),
    retry: false,
    staleTime: 0,
  });
  useEffect(() => {
    if (late) return undefined;
    return after(POLL_LIMIT_MS, () => setLate(true));
  }, [late]);
  return {
    data: query.data,
    isUnknown: isRefused(query.error),
    late,
    again: () => {
      setLate(false);
      void query.refetch();
    },
  };
}

/** Whether nothing more will happen soon. */
export function isFinal(payment: Pick<ConfirmResponse, "status"> | undefined): boolean {
  return payment !== undefined && payment.status !== "open";
}

function isRefused(error: Error | null): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 422);
}
