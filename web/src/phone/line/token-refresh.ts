import type { VoiceTokenResponse } from "@farline/contract/calls.ts";
import type { VoiceClient } from "./voice-client.ts";

const SHARE_OF_LIFE = 0.8;
const RETRY_AFTER_MS = 30_000;
const MAX_FAILURES = 5;
/** Longest delay a timer takes (2³¹ − 1 ms); a token that lives longer is refreshed then. */
const LONGEST_TIMER_MS = 2_147_483_647;

export interface TokenRefresh {
  /** Fetches a token and signs in with it on the open socket, at once. */
  now(): void;
  stop(): void;
}

/** Keeps the login of a connection fresh: at 80 % of the token's life, and whenever asked. One refresh at a time. */
export function createTokenRefresh(deps: {
  client: VoiceClient;
  getVoiceToken: () => Promise<VoiceTokenResponse>;
  expiresAt: string;
}): TokenRefresh {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let running = false;
  let stopped = false;
  let failures = 0;

  const plan = (waitMs: number): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(run, Math.min(Math.max(waitMs, 0), LONGEST_TIMER_MS));
  };
  const planFor = (expiresAt: string): void => plan((Date.parse(expiresAt) - Date.now()) * SHARE_OF_LIFE);
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
      .catch(() => {
        // The old token still serves the open socket; a later try may find the service well again.
        failures += 1;
        if (!stopped && failures < MAX_FAILURES) plan(RETRY_AFTER_MS);
      })
      .finally(() => {
        running = false;
      });
  };

  planFor(deps.expiresAt);
  return {
    now: run,
    stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
