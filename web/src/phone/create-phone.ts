import type { CallService } from "./call/call-service.ts";
import { onPageLeft } from "../browser/page-life.ts";
import { findObstacle } from "./call-obstacle.ts";
import { openMicrophone, watchMicrophonePermission } from "./device/microphone.ts";
import { Phone } from "./phone.ts";
import { createRemoteAudio } from "./device/remote-audio.ts";
import { createTabLock } from "./tab-lock.ts";
import { onWake } from "../time/wake.ts";
import { loadPart } from "../session/load-part.ts";
import type { CreateVoiceClient } from "./line/voice-client.ts";

/** A browser tab's phone, with the real SDK, microphone and loudspeaker. */
export function createPhone(service: CallService): Phone {
  return new Phone({
    service,
    createClient: createTelnyxClient,
    openMicrophone,
    watchMicrophonePermission,
    createRemoteAudio,
    findObstacle: () => findObstacle(window),
    tabLock: createTabLock(),
    // Without locks, a copy of the tab could take the call from the tab that is in it.
    mayResume: () => document.visibilityState === "visible" && "locks" in navigator,
    onWake,
    onLeave: onPageLeft,
  });
}

/** The SDK is as large as the rest of the dialer, so the first call loads it. */
const createTelnyxClient: CreateVoiceClient = async (options) => {
  const { createSdkClient } = await loadPart(() => import("./line/telnyx-sdk.ts"));
  return await createSdkClient(options);
};
