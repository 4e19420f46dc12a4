/** The part of `@telnyx/webrtc` 2.27 that the phone uses. Reference: the SDK's type files. */

/**
 * What a provider's `ringing` message says about the dialled phone. Our exchange says that it is silent or rings. Another provider says
 * neither (`unknown`); its message means a parked leg, but nothing else ever tells that the phone rings.
 */
export type FarEnd = "unknown" | "silent" | "ringing";

/** One call object of the SDK. After a reconnect the SDK creates a new object with the same `id`. */
export interface VoiceCall {
  readonly id: string;
  /** new, requesting, trying, early, ringing, active, held, recovering, hangup, destroy, purge … */
  readonly state: string;
  readonly direction: string;
  readonly cause?: string | null;
  readonly causeCode?: number | null;
  readonly sipCode?: number | null;
  /** Set on an object that took over a call after a reconnect: that call's id. */
  readonly recoveredCallId?: string;
  readonly telnyxIDs: { telnyxCallControlId?: string; telnyxSessionId?: string; telnyxLegId?: string };
  readonly peer?: { instance?: RTCPeerConnection | null } | null;
  /** A `localStream` that is set during call creation is used instead of opening the microphone. */
  readonly options: { localStream?: MediaStream | null };
  hangup(): Promise<void>;
  muteAudio(): void;
  unmuteAudio(): void;
  /** Resolves to false when the provider refused. */
  hold(): Promise<unknown>;
  unhold(): Promise<unknown>;
  dtmf(digit: string): void;
  /** Sends a text to the provider, within the call. */
  message(to: string, body: string): void;
}

export interface NewVoiceCall {
  id: string;
  destinationNumber: string;
  callerNumber: string;
  /** Base64 text. */
  clientState: string;
  customHeaders: { name: string; value: string }[];
  /** Overrides the client's servers. */
  iceServers?: RTCIceServer[];
  localStream: MediaStream;
  /** Offers audio even if `localStream` has no track yet. */
  negotiateAudio?: boolean;
  audio: MediaTrackConstraints | boolean;
  remoteElement: HTMLAudioElement;
}

export interface VoiceEvents {
  "telnyx.ready": unknown;
  "telnyx.socket.close": unknown;
  "telnyx.socket.message": { method?: string; params?: { callID?: string; far_end?: string } } | null;
  "telnyx.notification": { type: string; call?: VoiceCall };
  "telnyx.error": { error?: { code?: number }; callId?: string };
}

export interface VoiceClient {
  readonly connected: boolean;
  /** The provider's id of this session. */
  readonly sessionid: string;
  /** Opens a socket unless there is one. */
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  /** Closes the socket and keeps the calls. */
  socketDisconnect(): void;
  /** What the SDK runs when the browser reports that the socket is closed: keeps the session for the next one. */
  onNetworkClose(event: { code: number; wasClean: boolean }): void;
  login(options: { creds: { login_token: string }; onSuccess?: () => void; onError?: (error: unknown) => void }): Promise<void>;
  getIsRegistered(): Promise<boolean>;
  /** Removes the session stored in the tab, so that the next user does not send it. */
  clearReconnectToken(): void;
  newCall(options: NewVoiceCall): VoiceCall;
  on<E extends keyof VoiceEvents>(event: E, listener: (payload: VoiceEvents[E]) => void): void;
}

interface VoiceClientOptions {
  loginToken: string;
  /** WebSocket address; null is the provider's default. */
  host: string | null;
  /** Null is the provider's default list, [] is none. */
  iceServers: RTCIceServer[] | null;
  trickleIce: boolean;
  /** The element that plays a call which the provider resumes by itself. */
  remoteElement: HTMLAudioElement | null;
}

export type CreateVoiceClient = (options: VoiceClientOptions) => Promise<VoiceClient>;

/** SDK error codes that the phone handles. */
export const voiceCode = {
  reconnectionExhausted: 45003,
  loginFailed: 46001,
  networkOffline: 48001,
  sessionNotReattached: 48501,
} as const;

/** States after which the SDK never revives the same call object. */
export function isOver(call: VoiceCall): boolean {
  return call.state === "hangup" || call.state === "destroy" || call.state === "purge";
}

/** Sends a microphone's sound from now on. The SDK stops the stream with the call. */
export async function sendMicrophone(call: VoiceCall, stream: MediaStream): Promise<void> {
  call.options.localStream = stream;
  const [sender] = call.peer?.instance?.getSenders() ?? [];
  await sender?.replaceTrack(stream.getAudioTracks()[0] ?? null);
}

/** Hangs up a call object unless it is over already. */
export function hangUpCall(call: VoiceCall | null): void {
  if (call === null || isOver(call)) return;
  // A hang-up without a socket is rejected; the service then ends the legs.
  call.hangup().catch(() => undefined);
}
