import { TelnyxRTC } from "@telnyx/webrtc";
import { writeTab } from "../../browser/storage.ts";
import type { CreateVoiceClient } from "./voice-client.ts";

const PROBE = "farline-probe";

/**
 * Creates a client of the real SDK. `host` sets the address and is missing from the SDK's public option type, hence the cast.
 * `debug` stays off: with it the SDK blocks calls on reports that a provider need not answer. A reloaded page does not hang
 * up: the provider keeps the call for a while, and the caller decides.
 */
export const createSdkClient: CreateVoiceClient = async (options) => {
  if (!writeTab(PROBE, "")) provideTabStorage();
  else writeTab(PROBE, null);
  const clientOptions = {
    login_token: options.loginToken,
    trickleIce: options.trickleIce,
    hangupOnBeforeUnload: false,
    ...(options.host === null ? {} : { host: options.host }),
    ...(options.iceServers === null ? {} : { iceServers: options.iceServers }),
  };
  const client = new TelnyxRTC(clientOptions);
  if (options.remoteElement !== null) client.remoteElement = options.remoteElement;
  return client;
};

/** The SDK uses the tab's storage unguarded: where it is blocked or full, the SDK gets one that lasts as long as the page. */
export function provideTabStorage(): void {
  const kept = new Map<string, string>();
  Object.defineProperty(globalThis, "sessionStorage", {
    configurable: true,
    value: {
      endsWithPage: true,
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    },
  });
}
