import type { AnswerOf } from "@farline/contract/api/api.ts";
import { useMutation } from "@tanstack/react-query";
import { useLinkToken } from "../../session/address-secrets.ts";
import { request } from "../../service/http.ts";

type MailLinkEndpoint =
  | "POST /api/email/verify"
  | "POST /api/email/change/confirm"
  | "POST /api/newsletter/confirm"
  | "POST /api/newsletter/unsubscribe";

/**
 * A mailed link's token, and the request that uses it. Only a press sends it: mail scanners open links in a real browser.
 * @param page path the link leads to
 * @param endpoint takes the token (linkRequest)
 */
export function useMailLink<N extends MailLinkEndpoint>(page: string, endpoint: N) {
  const token = useLinkToken(page);
  const use = useMutation({
    // A link that is pasted over this page, such as the second one of a change of address, begins anew.
    mutationKey: ["mail-link", page, token],
    mutationFn: () => request<MailLinkEndpoint>(endpoint, { body: { token: token ?? "" } }) as Promise<AnswerOf<N>>,
  });
  return { token, use };
}
