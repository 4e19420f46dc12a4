import { QueryCache, QueryClient } from "@tanstack/react-query";
import { toast } from "../ui/toast.ts";
import { ApiError } from "./http.ts";
import { getToken, onSessionChange } from "../session/session.ts";

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: {
      /** Shown as a toast when a refresh fails while older data stays on the screen. */
      failure?: () => string;
      /** Shows the toast also when there is no older data: for values that have no error place of their own. */
      failureAlways?: boolean;
    };
  }
}

const MAX_RETRIES = 2;
const STALE_MS = 30_000;

/** A refusal will be the same the next time; a lost connection or a service in trouble may not. */
function worthRetrying(failures: number, error: Error): boolean {
  if (failures >= MAX_RETRIES || !(error instanceof ApiError)) return false;
  return error.code === "network" || error.code === "timeout" || error.status >= 500;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: worthRetrying, staleTime: STALE_MS, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" },
  },
  queryCache: new QueryCache({
    onError(error, query) {
      const { failure, failureAlways } = query.meta ?? {};
      if (failure === undefined || (error instanceof ApiError && error.status === 401)) return;
      if (failureAlways === true || query.state.data !== undefined) toast.error(failure());
    },
  }),
});

/** Nothing of one customer stays in memory for the next one. */
let lastToken = getToken();
onSessionChange(() => {
  const token = getToken();
  if (token !== lastToken) queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== "config" });
  lastToken = token;
});
