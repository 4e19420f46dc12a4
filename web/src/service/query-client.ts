import { type InferDataFromTag, QueryCache, QueryClient, type QueryKey } from "@tanstack/react-query";
import { toast } from "../ui/messages/toast.ts";
import { ApiError, isUnanswered } from "./http.ts";
import { showAnswerIn } from "./show-answer.ts";
import { getToken, onSessionChange } from "../session/session.ts";

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: {
      /** Toast shown when a refetch fails while older data stays on screen. */
      failure?: () => string;
      /** Shows the toast even without older data, for values whose errors have no place on the page. */
      failureAlways?: boolean;
      /** In the operators' console: its age is shown. */
      live?: boolean;
      /** In the operators' console: part of the frame, not of the page. */
      frame?: boolean;
    };
  }
}

const MAX_RETRIES = 2;
const STALE_MS = 30_000;

/** Retries lost connections and service errors, but not refusals, which would repeat. */
function worthRetrying(failures: number, error: Error): boolean {
  if (failures >= MAX_RETRIES || !(error instanceof ApiError)) return false;
  return isUnanswered(error) || error.status >= 500;
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

/** Shows a change's answer, which an older one cannot undo. */
export async function showAnswer<Key extends QueryKey>(queryKey: Key, answer: InferDataFromTag<unknown, Key>): Promise<void> {
  await showAnswerIn(queryClient, queryKey, answer);
}

/** Clears everything so that the next customer sees nothing of the previous one. */
let lastToken = getToken();
onSessionChange(() => {
  const token = getToken();
  if (token !== lastToken) queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== "config" });
  lastToken = token;
});
