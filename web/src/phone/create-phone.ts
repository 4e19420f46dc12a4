import type { CallService } from "./call-service.ts";
import { openMicrophone } from "./microphone.ts";
import { Phone } from "./phone.ts";
import { createRemoteAudio } from "./remote-audio.ts";
import { claimTab } from "./tab-lock.ts";
import { createTelnyxClient } from "./telnyx-client.ts";

/** The phone of a browser tab: the real SDK, microphone and loudspeaker. */
export function createPhone(service: CallService): Phone {
  return new Phone({ service, createClient: createTelnyxClient, openMicrophone, createRemoteAudio, claimTab });
}
