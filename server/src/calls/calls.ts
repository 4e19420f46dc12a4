import type { App } from "../platform/http.ts";
import type { Job } from "../platform/jobs.ts";
import { createCallMachinery } from "./call-machinery.ts";
import type { CallParts } from "./call-parts.ts";
import { customerRoutes, providerRoutes } from "./call.routes.ts";
import { createIssueVoiceToken } from "./issue-voice-token.ts";
import { createParkingCheck } from "./parking-check.ts";
import { sweepCalls } from "./sweep-calls.ts";

export type { CallParts } from "./call-parts.ts";
export { createTelnyx } from "./telnyx-client.ts";

const SWEEP_EVERY_MS = 5_000;

/** Everything about calls under `/api/calls`, and the voice provider's webhook `POST /api/webhooks/telnyx`. */
export function callRoutes(app: App, parts: CallParts): void {
  const machinery = createCallMachinery(parts);
  const parking = createParkingCheck(parts);
  customerRoutes(app, machinery, createIssueVoiceToken(machinery, parking));
  providerRoutes(app, machinery);
  // A wrong setting at the provider shall be in the log at the start, not at the first call. It delays nothing.
  app.addHook("onListen", async () => {
    parking.isOn().catch((error: unknown) => parts.log.error({ err: error }, "the voice connection could not be checked"));
  });
}

/** The sweeper: no call stays open, whatever is lost. */
export function callJobs(parts: CallParts): Job[] {
  const machinery = createCallMachinery(parts);
  return [{ name: "sweep-calls", everyMs: SWEEP_EVERY_MS, run: (signal) => sweepCalls(machinery, signal) }];
}
