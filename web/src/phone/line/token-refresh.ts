import type { VoiceTokenResponse } from "@farline/contract/calls.ts";
import type { VoiceClient } from "./voice-client.ts";

const SHARE_OF_LIFE = 0.8;
const RETRY_AFTER_MS = 30_000;
const MAX_FAILURES = 5;
/** The longest timer delay (2³¹ − 1 ms); a longer-lived token is refreshed after it. */
const MAX_TIMER_MS = 2_147_483_647;

export interface TokenRefresh {
  /** Fetches a token and signs in with it on the open socket, immediately. */
  now(): void;
  stop(): void;
}

/** Keeps a connection's login fresh: at 80 % of the token's lifetime, and on request. One refresh at a time. */
export function createTokenRefresh(deps: {
  client: VoiceClient;
  getVoiceToken: () => Promise<VoiceTokenResponse>;
  expiresAt: string;
  /** The service gave no token, or did not answer. */
  onRefused: (error: unknown) => void;
}): TokenRefresh {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let running = false;
  let stopped = false;
  let failures = 0;

  const plan = (waitMs: number): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(run, Math.min(Math.max(waitMs, 0), MAX_TIMER_MS));
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
      .catch((error: unknown) => {
        if (!stopped) deps.onRefused(error);
        // The old token still works on the open socket; a later attempt may succeed.
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
