import type { Call, LiveCallResponse } from "@farline/contract/calls.ts";
import { request } from "./http.ts";

let drawn: string | null = null;

/** Distinguishes this page load from earlier and later ones. */
export function thisPage(): string {
  drawn ??= crypto.randomUUID();
  return drawn;
}

/** Reports that this page is in the call, or offers to rejoin it. @returns the call. @throws ApiError */
export async function stayInCall(callId: string, signal?: AbortSignal): Promise<Call> {
  return (await request("POST /api/calls/:id/stay", { params: { id: callId }, body: { page: thisPage() }, signal })).call;
}

/**
 * The customer's running call. `wasIn` is the call this tab was in before the page load: if it still runs, this reports that
 * the tab is back. @throws ApiError
 */
export async function askForLiveCall(wasIn: string | null, signal?: AbortSignal): Promise<LiveCallResponse> {
  const live = await request("GET /api/calls/live", { signal });
  if (live.call === null || live.call.id !== wasIn) return live;
  return { ...live, call: await stayInCall(wasIn, signal) };
}
