import type { QualitySample } from "@farline/contract/call-details.ts";
import type {
  Call,
  EchoTestResponse,
  InitiateRequest,
  InitiateResponse,
  LiveCallResponse,
  VoiceTokenResponse,
} from "@farline/contract/calls.ts";

/** Ids of the browser's leg at the voice provider: a hint that joins records. */
interface ControlIds {
  telnyx_leg_id: string | null;
  telnyx_session_id: string | null;
  /** The id that this side chose for the SDK's call. */
  call_id: string | null;
}

/**
 * What the phone asks of the service. The app gives it in; the phone itself never touches HTTP.
 * Every function rejects with a `ServiceRefusal` when the service answers with an error body, and with anything else
 * when the answer never came.
 */
export interface CallService {
  getVoiceToken(): Promise<VoiceTokenResponse>;
  /** The same key twice is one call. */
  initiate(request: InitiateRequest, idempotencyKey: string): Promise<InitiateResponse>;
  /** `present`: this page is in the call or offers to take it up again, so it is not to be hung up for a page that left. */
  getCall(callId: string, look?: { present: boolean }): Promise<Call>;
  /** The customer's running call, wherever it runs. `wasIn`: the call that this tab was in before its page was loaded. */
  getLiveCall(wasIn: string | null): Promise<LiveCallResponse>;
  /** This page goes away: the call is hung up in some seconds, unless it is loaded anew. Must outlive the page (`keepalive`). */
  leave(callId: string): Promise<void>;
  /** Ends the call at the provider. Must outlive the page (`keepalive`). Ending an ended call answers the same. */
  hangup(callId: string): Promise<Call>;
  sendControlIds(callId: string, ids: ControlIds): Promise<void>;
  /** How the call sounds; must outlive the page (`keepalive`). */
  sendQuality(callId: string, samples: QualitySample[]): Promise<void>;
  /** Permission for a free call to the exchange's echo. */
  startEchoTest(): Promise<EchoTestResponse>;
}

/** The service said no: its HTTP status, code and sentence. */
export class ServiceRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly credit: { required: string; available: string; missing: string } | null;

  constructor(refusal: {
    status: number;
    code: string;
    message: string;
    credit?: { required: string; available: string; missing: string } | undefined;
  }) {
    super(refusal.message);
    this.name = "ServiceRefusal";
    this.status = refusal.status;
    this.code = refusal.code;
    this.credit = refusal.credit ?? null;
  }
}

/** A call the service will not change any more. */
export function isFinal(call: Call): boolean {
  return call.status === "completed" || call.status === "failed";
}
