import type { VoiceTokenResponse } from "@farline/contract/calls.ts";
import type { VoiceClient } from "./voice-client.ts";
import { serviceNow } from "../../time/clock.ts";
import { createPace, PACES } from "../../time/timers.ts";

const SHARE_OF_LIFE = 0.8;
/** After the first failure; doubled after each further one. */
const RETRY_AFTER_MS = 30_000;

export interface TokenRefresh {
  /** Fetches a token and signs in with it on the open socket, as soon as its pace allows. */
  now(): void;
  stop(): void;
}

/** Keeps a connection's login fresh: at 80 % of the token's lifetime by the service's clock, and on request. One refresh at a time. */
export function createTokenRefresh(deps: {
  client: VoiceClient;
  getVoiceToken: () => Promise<VoiceTokenResponse>;
  expiresAt: string;
  /** The service gave no token, or did not answer. */
  onRefused: (error: unknown) => void;
}): TokenRefresh {
  let running = false;
  let stopped = false;
  let failures = 0;

  const planFor = (expiresAt: string): void => pace.plan((Date.parse(expiresAt) - serviceNow()) * SHARE_OF_LIFE);
  const refresh = async (): Promise<void> => {
    const grant = await deps.getVoiceToken();
    if (stopped) return;
    await deps.client.login({ creds: { login_token: grant.token } });
    failures = 0;
    planFor(grant.expires_at);
  };
  const run = (): void => {
    if (running || stopped) return;
    running = true;
    refresh()
      .catch((error: unknown) => {
        if (!stopped) deps.onRefused(error);
        // The old token still works on the open socket; a later attempt may succeed.
        if (!stopped) pace.plan(RETRY_AFTER_MS * 2 ** failures);
        failures += 1;
      })
      .finally(() => {
        running = false;
      });
  };

  const pace = createPace(PACES.voiceToken, run);
  planFor(deps.expiresAt);
  return {
    now: pace.soon,
    stop() {
      stopped = true;
      pace.stop();
    },
  };
}
