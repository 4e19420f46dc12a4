import type { CallerIdResponse } from "@farline/contract/caller-id.ts";
import { callerIdQuery } from "../../../service/queries.ts";
import { activityQuery } from "../account-queries.ts";
import { queryClient } from "../../../service/query-client.ts";

/** Stores the service's answer to a change and refreshes the account's activity, which may list it. */
export function keepCallerId({ caller_id: callerId }: CallerIdResponse): void {
  queryClient.setQueryData(callerIdQuery.queryKey, callerId);
  void queryClient.invalidateQueries({ queryKey: activityQuery.queryKey });
}
