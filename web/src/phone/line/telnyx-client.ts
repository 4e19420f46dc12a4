import { provideTabStorage } from "../../browser/storage.ts";
import type { CreateVoiceClient } from "./voice-client.ts";

/**
 * Creates a client of the real SDK. `host` sets the address and is missing from the SDK's public option type, hence the cast.
 * `debug` stays off: with it the SDK blocks calls on reports that a provider need not answer. A reloaded page does not hang
 * up: the provider keeps the call for a while, and the caller decides.
 */
export const createTelnyxClient: CreateVoiceClient = async (options) => {
  provideTabStorage();
  const { TelnyxRTC } = await import("@telnyx/webrtc");
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
