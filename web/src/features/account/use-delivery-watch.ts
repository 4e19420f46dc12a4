import { useQuery } from "@tanstack/react-query";
import { userQuery } from "../../service/queries.ts";

const POLL_INTERVAL_MS = 15_000;
/** A mail server refuses an address within seconds, or minutes if it was unreachable. */
const MAX_POLLS = 20;

/** Polls the profile for some minutes, to show that the confirmation could not be delivered, or was opened elsewhere. */
export function useDeliveryWatch(): void {
  useQuery({ ...userQuery, refetchInterval: ({ state }) => state.dataUpdateCount < MAX_POLLS && POLL_INTERVAL_MS });
}
