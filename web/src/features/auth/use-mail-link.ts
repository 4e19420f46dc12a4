import { useQuery } from "@tanstack/react-query";
import { useLinkToken } from "../../session/address-secrets.ts";
import { request } from "../../service/http.ts";

/**
 * Posts a mailed link's token to the service, once per token regardless of re-renders.
 * @param page path the link leads to
 * @param endpoint takes the token (linkRequest)
 */
export function useMailLink<Answer>(page: string, endpoint: string) {
  const token = useLinkToken(page);
  const answer = useQuery({
    queryKey: ["mail-link", page, token],
    queryFn: () => request<Answer>("POST", endpoint, { body: { token } }),
    enabled: token !== null,
    retryOnMount: false,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return { token, answer };
}
