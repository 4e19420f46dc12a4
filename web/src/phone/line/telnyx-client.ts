import { loadPart } from "../../session/load-part.ts";
import type { CreateVoiceClient } from "./voice-client.ts";

/** The SDK is as large as the rest of the dialer, so the first call loads it. */
export const createTelnyxClient: CreateVoiceClient = async (options) => {
  const { createSdkClient } = await loadPart(() => import("./telnyx-sdk.ts"));
  return await createSdkClient(options);
};
