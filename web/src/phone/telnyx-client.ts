import type { CreateVoiceClient, VoiceClient } from "./voice-client.ts";

/** Fetches the SDK ahead of use; a second call costs nothing. */
export function loadTelnyxSdk(): Promise<typeof import("@telnyx/webrtc")> {
  return import("@telnyx/webrtc");
}

/**
 * Makes a client of the real SDK. `host` decides the address and is missing from the SDK's public option type, hence
 * the cast. `debug` stays off: with it the SDK blocks calls on reports a provider need not answer.
 */
export const createTelnyxClient: CreateVoiceClient = async (options) => {
  const { TelnyxRTC } = await loadTelnyxSdk();
  const clientOptions = {
    login_token: options.loginToken,
    trickleIce: options.trickleIce,
    ...(options.host === null ? {} : { host: options.host }),
    ...(options.iceServers === null ? {} : { iceServers: options.iceServers }),
  };
  return new TelnyxRTC(clientOptions) as unknown as VoiceClient;
};
