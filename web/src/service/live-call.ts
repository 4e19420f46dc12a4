import type { LiveCallResponse } from "@farline/contract/calls.ts";
import { request } from "./http.ts";

let drawn: string | null = null;

/** Tells this load of the page from the one before it and the one after it. */
export function thisPage(): string {
  drawn ??= crypto.randomUUID();
  return drawn;
}

/**
 * `GET /api/calls/live`. With `wasIn`, the call that this tab was in before its page was loaded, it says as well that the
 * tab is back. @throws ApiError
 */
export function askForLiveCall(wasIn: string | null, signal?: AbortSignal): Promise<LiveCallResponse> {
  const query = wasIn === null ? "" : `?${new URLSearchParams({ was_in: wasIn, page: thisPage() }).toString()}`;
  return request<LiveCallResponse>("GET", `/calls/live${query}`, { signal });
}
