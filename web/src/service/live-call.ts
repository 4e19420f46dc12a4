import type { Call, LiveCallResponse } from "@farline/contract/calls.ts";
import { randomId } from "../browser/random-id.ts";
import { request } from "./http.ts";

let page: string | null = null;

/** Distinguishes this page from those before and after it. A page that was left and goes on counts as another one. */
function thisPage(): string {
  page ??= randomId();
  return page;
}

/** Reports that this page has left the call, unless it reports to be back in it. Call it while the page closes. @throws ApiError */
export async function leaveCall(callId: string): Promise<void> {
  const left = thisPage();
  page = null;
  await request("POST /api/calls/:id/leave", { params: { id: callId }, body: { page: left }, keepalive: true });
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
