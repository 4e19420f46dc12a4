import { queryKeys } from "../../lib/queries.ts";
import { queryClient } from "../../lib/query-client.ts";

/** The name, the address or the password changed. */
export async function refreshProfile(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: queryKeys.user });
}
