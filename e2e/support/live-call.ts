import type { Page } from "@playwright/test";
import { sessionHeaders } from "./customer.ts";

/** The part of `GET /api/calls/live` that tests use. */
interface LiveCall {
  id: string;
  max_seconds: number;
  answered_at: string | null;
  bounded_by: string;
}

/** The signed-in customer's live call, or null. */
export async function liveCall(page: Page): Promise<LiveCall | null> {
  const answer = await page.request.get("/api/calls/live", { headers: await sessionHeaders(page) });
  return ((await answer.json()) as { call: LiveCall | null }).call;
}
