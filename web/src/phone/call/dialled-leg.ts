import { CALL_TICKET_HEADER } from "@farline/contract/constants.ts";
import { microphoneConstraints } from "../device/microphone.ts";
import {
  type FarEnd,
  hangUpCall,
  isOver,
  type NewVoiceCall,
  sendMicrophone,
  type VoiceCall,
  type VoiceClient,
} from "../line/voice-client.ts";
import { PhoneError } from "../phone-error.ts";
import type { AttemptKeys } from "./ask-for-call.ts";

type LegOptions = Pick<NewVoiceCall, "destinationNumber" | "callerNumber" | "iceServers" | "remoteElement">;

/**
 * The leg that the page dials while the service decides about the call. Until there is a session it buffers the line's events, so that the caller never sees a call that the service refuses.
 */
export class DialledLeg {
  readonly #keys: AttemptKeys;
  call: VoiceCall | null = null;
  /** What the provider last said about the far end; null before it has the leg. */
  farEnd: FarEnd | null = null;
  errorCode: number | null = null;
  lineIsGone = false;

  constructor(keys: AttemptKeys) {
    this.#keys = keys;
  }

  /** The SDK's id of the call. */
  get id(): string {
    return this.#keys.id;
  }

  get isOver(): boolean {
    return this.call !== null && isOver(this.call);
  }

  /**
   * Dials. The SDK sends events meanwhile, so the call may already be known or even over.
   * @param microphone null if it is not open yet: then pass it to `takeMicrophone`
   * @throws PhoneError `never_connected`
   */
  dial(client: VoiceClient, options: LegOptions, microphone: MediaStream | null): void {
    const { id, ticket } = this.#keys;
    try {
      const call = client.newCall({
        ...options,
        id,
        clientState: btoa(ticket),
        customHeaders: [{ name: CALL_TICKET_HEADER, value: ticket }],
        localStream: microphone ?? new MediaStream(),
        negotiateAudio: true,
        audio: microphoneConstraints,
      });
      this.call ??= call;
    } catch (error) {
      // The SDK refused to create the call; to the caller this is a line that never opened.
      throw new PhoneError("never_connected", { cause: error });
    }
  }

  /** Resolves once the SDK has made its offer, which is never known of a leg that has ended. Opening a microphone earlier delays the offer. */
  offered(): Promise<void> {
    const peer = this.call?.peer?.instance;
    return new Promise((resolve) => peer?.addEventListener("signalingstatechange", () => resolve(), { once: true }));
  }

  /** Sends the sound of a microphone that was opened after the leg was dialled. */
  takeMicrophone(microphone: MediaStream): void {
    // Fails only if the leg has ended, which its events report.
    if (this.call !== null && !this.isOver) sendMicrophone(this.call, microphone).catch(() => undefined);
  }

  hangUp(): void {
    hangUpCall(this.call);
  }
}
