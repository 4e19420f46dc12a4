import type { Call, LiveCallResponse } from "@farline/contract/calls.ts";
import { randomId } from "../browser/random-id.ts";
import { getToken } from "../session/session.ts";
import { addressOf } from "./endpoint-address.ts";
import { request } from "./http.ts";

const LEAVE = "POST /api/calls/:id/leave";

let page: string | null = null;

/** Distinguishes this page from those before and after it. A page that was left and goes on counts as another one. */
function thisPage(): string {
  page ??= randomId();
  return page;
}

/** Reports that this page has left the call, unless it reports to be back in it. Call it while the page closes. @throws ApiError */
export async function leaveCall(callId: string): Promise<void> {
  const options = { params: { id: callId }, body: { page: thisPage() } };
  page = null;
  if ("keepalive" in Request.prototype) await request(LEAVE, { ...options, keepalive: true });
  else sendBeforeClosing(addressOf(LEAVE, options), options.body);
}

/** Firefox before 133 cancels the requests of a page that closes, and waits for no other kind. */
function sendBeforeClosing(url: string, body: object): void {
  const request = new XMLHttpRequest();
  request.open("POST", url, false);
  request.setRequestHeader("Authorization", `Bearer ${getToken()}`);
  request.setRequestHeader("Content-Type", "application/json");
  request.send(JSON.stringify(body));
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
