import type { CallService } from "./call-service.ts";
import type { OpenMicrophone } from "../device/microphone.ts";
import type { RemoteAudio } from "../device/remote-audio.ts";
import type { VoiceLine } from "../line/voice-line.ts";
import type { PhoneStore } from "../phone-store.ts";
import type { TabLock } from "../tab-lock.ts";
import type { UnfinishedHangups } from "./unfinished-hangups.ts";

export interface CallControllerDeps {
  service: CallService;
  line: VoiceLine;
  store: PhoneStore;
  tabLock: TabLock;
  unfinished: UnfinishedHangups;
  openMicrophone: OpenMicrophone;
  /** Whether there is a microphone, and the browser opens it without asking the caller. */
  microphoneIsReady(): boolean;
  wantedMicrophone(): string | null;
  audio(): RemoteAudio;
  /** Called when the first microphone opens: device names are available from then on. */
  onMicrophone(): void;
  /** Called when an attempt to call failed, or the call has moved: there may be a call elsewhere. */
  onFailed(): void;
}
