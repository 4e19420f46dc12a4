import type { CallerIdResponse } from "@farline/contract/caller-id.ts";
import { callerIdQuery } from "../../../service/queries.ts";
import { activityQuery } from "../account-queries.ts";
import { queryClient } from "../../../service/query-client.ts";

/** Keeps what the service answered to a change; the account's activity may tell of it. */
export function keepCallerId({ caller_id: callerId }: CallerIdResponse): void {
  queryClient.setQueryData(callerIdQuery.queryKey, callerId);
  void queryClient.invalidateQueries({ queryKey: activityQuery.queryKey });
}
