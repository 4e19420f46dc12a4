import type { LiveCallResponse } from "@farline/contract/calls.ts";
import { request } from "./http.ts";

let drawn: string | null = null;

/** Distinguishes this page load from earlier and later ones. */
export function thisPage(): string {
  drawn ??= crypto.randomUUID();
  return drawn;
}

/**
 * `GET /api/calls/live`. `wasIn` is the call this tab was in before the page load; passing it also reports that the tab is
 * back. @throws ApiError
 */
export function askForLiveCall(wasIn: string | null, signal?: AbortSignal): Promise<LiveCallResponse> {
  const query = wasIn === null ? {} : { was_in: wasIn, page: thisPage() };
  return request("GET /api/calls/live", { query, signal });
}
