import type { GoogleCallbackRequest } from "@farline/contract/google.ts";
import { useQuery } from "@tanstack/react-query";
import { ApiError, messageOf } from "../service/http.ts";
import { getGoogleAnswer } from "./address-secrets.ts";

/** Sends the code that Google's redirect brought, once per code regardless of re-renders. @param purpose names the query */
export function useGoogleAnswer<Result>(purpose: string, send: (answer: GoogleCallbackRequest) => Promise<Result>) {
  const answer = getGoogleAnswer();
  const isUsable = answer.code !== undefined && answer.error === undefined;
  const outcome = useQuery({
    queryKey: [purpose, answer.code],
    queryFn: () => send(answer),
    enabled: isUsable,
    retry: false,
    retryOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return { answer, isUsable, outcome };
}

/** The service's message, followed by its detail after a colon; `fallback` if it sent none. */
export function googleFailureText(error: unknown, fallback: string): string {
  const message = messageOf(error, fallback);
  const detail = error instanceof ApiError ? error.detail : undefined;
  return detail === undefined ? message : `${message}: ${detail}`;
}
