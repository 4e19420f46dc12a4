import type { CreateVoiceClient } from "./voice-client.ts";

/**
 * Makes a client of the real SDK. `host` decides the address and is missing from the SDK's public option type, hence
 * the cast. `debug` stays off: with it the SDK blocks calls on reports a provider need not answer.
 */
export const createTelnyxClient: CreateVoiceClient = async (options) => {
  const { TelnyxRTC } = await import("@telnyx/webrtc");
  const clientOptions = {
    login_token: options.loginToken,
    trickleIce: options.trickleIce,
    ...(options.host === null ? {} : { host: options.host }),
    ...(options.iceServers === null ? {} : { iceServers: options.iceServers }),
  };
  return new TelnyxRTC(clientOptions);
};
