import type { UserChangeRequest } from "@farline/contract/account-access.ts";
import type { ConfigResponse, User } from "@farline/contract/accounts.ts";
import { queryOptions } from "@tanstack/react-query";
import { request } from "./http.ts";
import { i18n } from "../text/i18n.ts";
import { keepSeen, startFromSeen } from "./last-seen.ts";
import { queryClient, showAnswer } from "./query-client.ts";

/** The prefix of every query key, so that one feature can refresh what another shows. */
export const queryKeys = {
  config: ["config"],
  user: ["user"],
  balance: ["balance"],
  transactions: ["transactions"],
  packages: ["packages"],
  /** Everything about calls: `["calls", "history"]`, `["calls", id]`. */
  calls: ["calls"],
  cases: ["cases"],
  contacts: ["contacts"],
  guardRails: ["guard-rails"],
  callerId: ["caller-id"],
} as const;

/** `GET /api/config`: does not change while the page is open. The service's pages carry it; those of the development server do not. */
export const configQuery = queryOptions({
  queryKey: queryKeys.config,
  queryFn: ({ signal }) => request("GET /api/config", { signal }),
  initialData: configOfPage,
  staleTime: Number.POSITIVE_INFINITY,
});

function configOfPage(): ConfigResponse | undefined {
  const carried = typeof document === "undefined" ? null : document.querySelector("script[data-config]");
  return carried === null ? undefined : (JSON.parse(carried.textContent) as ConfigResponse);
}

/** `GET /api/user`. Starts as last seen, so that what the frame says about the account does not push the page down later. */
export const userQuery = queryOptions({
  queryKey: queryKeys.user,
  queryFn: async ({ signal }) => {
    const { user } = await request("GET /api/user", { signal });
    keepSeen("user", user);
    return user;
  },
  ...startFromSeen("user", (user: User) => user),
  staleTime: 5 * 60_000,
});

/** `GET /api/account/sign-in-methods`: every sign-in method of the account. */
export const signInMethodsQuery = queryOptions({
  queryKey: ["account", "sign-in-methods"],
  queryFn: ({ signal }) => request("GET /api/account/sign-in-methods", { signal }),
  meta: { failure: () => i18n.t("account:methods.loadFailure") },
});

/** `GET /api/billing/balance`. `available` can be spent; `balance` is what pages show. */
export const balanceQuery = queryOptions({
  queryKey: queryKeys.balance,
  queryFn: ({ signal }) => request("GET /api/billing/balance", { signal }),
  meta: { failure: () => i18n.t("balance.failure"), failureAlways: true },
});

/** `GET /api/calls/caller-id`: the number that called people see, and the numbers to choose from. */
export const callerIdQuery = queryOptions({
  queryKey: queryKeys.callerId,
  queryFn: async ({ signal }) => (await request("GET /api/calls/caller-id", { signal })).caller_id,
  meta: { failure: () => i18n.t("callerId.failure") },
});

/** Favourites on the dialer and the dashboard. */
const MAX_FAVORITES = 6;

/** `GET /api/contacts`: the first favourites by name, with their prices. Failures are silent: the contacts page has them too. */
export const favoritesQuery = queryOptions({
  queryKey: [...queryKeys.contacts, "favorites"],
  queryFn: async ({ signal }) => {
    const query = { favorites: "true", limit: MAX_FAVORITES } as const;
    return (await request("GET /api/contacts", { query, signal })).contacts;
  },
});

/** Money moved: refetches the balance and the transactions. */
export async function refreshMoney(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: queryKeys.balance }),
    queryClient.invalidateQueries({ queryKey: queryKeys.transactions }),
  ]);
}

/** A call started, changed or ended: refetches the lists of calls. */
export async function refreshCalls(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: queryKeys.calls });
}

/** `PATCH /api/user`: the language of the customer's mails, or the name. @throws ApiError */
export async function changeUser(change: UserChangeRequest): Promise<void> {
  const { user } = await request("PATCH /api/user", { body: change });
  await showAnswer(queryKeys.user, user);
}
