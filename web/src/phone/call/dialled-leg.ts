import { type FarEnd, hangUpCall, isOver, type VoiceCall } from "../line/voice-client.ts";

/**
 * The leg that the page dials while the service decides about the call. Until there is a session it buffers the line's events, so
 * that the caller never sees a call that the service refuses.
 */
export class DialledLeg {
  /** The SDK's id of the call. */
  readonly id: string;
  call: VoiceCall | null = null;
  /** What the provider last said about the far end; null before it has the leg. */
  farEnd: FarEnd | null = null;
  errorCode: number | null = null;
  lineIsGone = false;

  constructor(id: string) {
    this.id = id;
  }

  get isOver(): boolean {
    return this.call !== null && isOver(this.call);
  }

  hangUp(): void {
    hangUpCall(this.call);
  }
}
