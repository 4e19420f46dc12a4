import type { GoogleCallbackRequest } from "@farline/contract/google.ts";
import { useQuery } from "@tanstack/react-query";
import { ApiError, messageOf } from "../service/http.ts";
import { getGoogleAnswer } from "./address-secrets.ts";

/** The last code that was sent, and what came of it. */
let sent: { readonly code: string | undefined; readonly outcome: Promise<unknown> } | null = null;

/** A change of session drops all cached queries, even those of the page on screen, which would then send its code again. */
function sendOnce<Result>(answer: GoogleCallbackRequest, send: (answer: GoogleCallbackRequest) => Promise<Result>) {
  if (sent === null || sent.code !== answer.code) sent = { code: answer.code, outcome: send(answer) };
  return sent.outcome as Promise<Result>;
}

/** Sends the code that Google's redirect brought, once per code regardless of re-renders. @param purpose names the query */
export function useGoogleAnswer<Result>(purpose: string, send: (answer: GoogleCallbackRequest) => Promise<Result>) {
  const answer = getGoogleAnswer();
  const isUsable = answer.code !== undefined && answer.error === undefined;
  const outcome = useQuery({
    queryKey: [purpose, answer.code],
    queryFn: () => sendOnce(answer, send),
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
