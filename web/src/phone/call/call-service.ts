import type { QualitySample } from "@farline/contract/call-details.ts";
import type {
  Call,
  EchoTestResponse,
  InitiateRequest,
  InitiateResponse,
  LiveCallResponse,
  VoiceTokenResponse,
} from "@farline/contract/calls.ts";
import type { CallPrice } from "@farline/contract/rates.ts";

/** Ids of the browser's leg at the voice provider, which help to correlate records. */
interface ControlIds {
  telnyx_leg_id: string | null;
  telnyx_session_id: string | null;
  /** The id that the browser chose for the SDK's call. */
  call_id: string | null;
}

/**
 * The phone's requests to the service. The app provides them; the phone itself never uses HTTP.
 * Every function rejects with a `ServiceRefusal` when the service responds with an error body, and with another error
 * when there is no response.
 */
export interface CallService {
  getVoiceToken(): Promise<VoiceTokenResponse>;
  /** Repeating the same key yields the same call. */
  initiate(request: InitiateRequest, idempotencyKey: string): Promise<InitiateResponse>;
  getCall(callId: string): Promise<Call>;
  /** Like `getCall`, and this page is in the call or offers to rejoin it: the service does not hang up for a page that left. */
  stay(callId: string): Promise<Call>;
  /** The customer's running call, on any device. `wasIn`: the call that this tab was in before the reload. */
  getLiveCall(wasIn: string | null): Promise<LiveCallResponse>;
  /** Hands the call over to this page's session at the voice provider. */
  move(callId: string, voiceSession: string): Promise<void>;
  /** This page closes: the service hangs up in some seconds, unless the page is reloaded. Must outlive the page (`keepalive`). */
  leave(callId: string): Promise<void>;
  /** Ends the call at the provider. Must outlive the page (`keepalive`). Idempotent: ending an ended call succeeds. */
  hangup(callId: string): Promise<Call>;
  sendControlIds(callId: string, ids: ControlIds): Promise<void>;
  /** Reports the call's quality; must outlive the page (`keepalive`). */
  sendQuality(callId: string, samples: QualitySample[]): Promise<void>;
  /** Authorises a free call to the exchange's echo. */
  startEchoTest(): Promise<EchoTestResponse>;
}

/** The service refused: its HTTP status, code and message. */
export class ServiceRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly price: CallPrice | null;

  constructor(refusal: { status: number; code: string; message: string; price?: CallPrice | undefined }) {
    super(refusal.message);
    this.name = "ServiceRefusal";
    this.status = refusal.status;
    this.code = refusal.code;
    this.price = refusal.price ?? null;
  }
}

/** Whether the service will no longer change this call. */
export function isFinal(call: Call): boolean {
  return call.status === "completed" || call.status === "failed";
}
