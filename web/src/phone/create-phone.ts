import type { CallService } from "./call/call-service.ts";
import { onPageLeft } from "../browser/page-life.ts";
import { findObstacle } from "./call-obstacle.ts";
import { openMicrophone, watchMicrophonePermission } from "./device/microphone.ts";
import { Phone } from "./phone.ts";
import { createRemoteAudio } from "./device/remote-audio.ts";
import { createTabLock } from "./tab-lock.ts";
import { createTelnyxClient } from "./line/telnyx-client.ts";
import { onWake } from "../time/wake.ts";

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
    onWake,
    onLeave: onPageLeft,
  });
}
