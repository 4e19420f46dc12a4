import { type SessionResponse, sessionResponse } from "@farline/contract/accounts.ts";
import { request } from "../../lib/http.ts";
import { queryKeys } from "../../lib/queries.ts";
import { queryClient } from "../../lib/query-client.ts";
import { startSession } from "../../lib/session.ts";

/** `POST /api/login` or `/api/register`. On success this browser is signed in. @throws ApiError */
export async function signIn(path: "/login" | "/register", body: object): Promise<void> {
  const session: SessionResponse = await request("POST", path, sessionResponse, { body });
  startSession(session.token);
  queryClient.setQueryData(queryKeys.user, session.user);
}
