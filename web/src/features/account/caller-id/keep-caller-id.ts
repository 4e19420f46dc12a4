import type { CallerIdResponse } from "@farline/contract/caller-id.ts";
import { callerIdQuery } from "../../../service/queries.ts";
import { queryClient } from "../../../service/query-client.ts";

/** Keeps what the service answered to a change. */
export function keepCallerId({ caller_id: callerId }: CallerIdResponse): void {
  queryClient.setQueryData(callerIdQuery.queryKey, callerId);
}
