import { queryKeys } from "../../service/queries.ts";
import { queryClient } from "../../service/query-client.ts";

/** Refreshes the profile after the name, the address or the password changed. */
export async function refreshProfile(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: queryKeys.user });
}
