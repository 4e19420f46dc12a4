import type { AnswerOf } from "@farline/contract/api/api.ts";
import { useQuery } from "@tanstack/react-query";
import { useLinkToken } from "../../session/address-secrets.ts";
import { request } from "../../service/http.ts";

type MailLinkEndpoint =
  | "POST /api/email/verify"
  | "POST /api/email/change/confirm"
  | "POST /api/newsletter/confirm"
  | "POST /api/newsletter/unsubscribe";

/**
 * Posts a mailed link's token to the service, once per token regardless of re-renders.
 * @param page path the link leads to
 * @param endpoint takes the token (linkRequest)
 */
export function consumeMailLink<N extends MailLinkEndpoint>(page: string, endpoint: N) {
  const token = useLinkToken(page);
  const answer = useQuery({
    queryKey: ["mail-link", page, token],
    queryFn: () => request<MailLinkEndpoint>(endpoint, { body: { token: token ?? "" } }) as Promise<AnswerOf<N>>,
    enabled: token !== null,
    retryOnMount: false,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return { token, answer };
}
