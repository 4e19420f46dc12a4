import type { OperatorRight } from "@farline/contract/operator/rights.ts";
import type { OperatorSessionResponse } from "@farline/contract/operator/session.ts";
import { QueryClient, type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { ApiError } from "../service/http.ts";
import { showAnswerIn } from "../service/show-answer.ts";
import { consoleRequest, onSignedOut } from "./console-request.ts";
import { FRAME } from "./shell/freshness.tsx";

const SESSION = ["session"];
/** Whether the service ended it, not the operator. */
const ENDED = ["session-ended"];
const STALE_MS = 15_000;
/** Words that an operator has typed and not sent; behind it stands whose they are. */
export const DRAFT = "draft";

/** What the console has read, until somebody signs out. */
export function consoleClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: STALE_MS, networkMode: "always" },
      mutations: { networkMode: "always" },
    },
  });
  onSignedOut(() => {
    // oxlint-disable-next-line farline/shown-answers -- no request brings it
    if (client.getQueryData(SESSION)) client.setQueryData(ENDED, true);
    // oxlint-disable-next-line farline/shown-answers -- it may be the answer of the session's own request, which is not cancelled
    client.setQueryData(SESSION, null);
  });
  return client;
}

/** Who is signed in; null for nobody. */
export function useSessionQuery() {
  return useQuery({ queryKey: SESSION, queryFn: readSession, staleTime: Infinity, meta: FRAME });
}

/** Whether a session has ended here, and nobody has signed in since. */
export function useHasEnded(): boolean {
  return useQueryClient().getQueryData(ENDED) === true;
}

/** Remembers a sign-in. What an earlier operator saw is forgotten; who signs in again still has their drafts. */
export function useSignedIn(): (session: OperatorSessionResponse | null) => void {
  const client = useQueryClient();
  return (session) => {
    const stays = ([name, owner]: QueryKey) => name === SESSION[0] || (name === DRAFT && owner === session?.operator.id);
    client.removeQueries({ predicate: ({ queryKey }) => !stays(queryKey) });
    void showAnswerIn(client, SESSION, session);
  };
}

async function readSession(): Promise<OperatorSessionResponse | null> {
  try {
    return await consoleRequest("GET /api/operator/session");
  } catch (error) {
    if (error instanceof ApiError && error.code === "unauthenticated") return null;
    throw error;
  }
}

export const SessionContext = createContext<OperatorSessionResponse | null>(null);

/** The session of the signed-in operator, on every page of the console. */
export function useConsoleSession(): OperatorSessionResponse {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("Nobody is signed in here.");
  return session;
}

/** Whether the signed-in operator's role has a right. */
export function useRight(right: OperatorRight): boolean {
  return useConsoleSession().rights.includes(right);
}
