import type { QualitySample } from "@farline/contract/call-details.ts";
import type {
  Call,
  EchoTestResponse,
  InitiateRequest,
  InitiateResponse,
  LiveCallResponse,
  VoiceTokenResponse,
} from "@farline/contract/calls.ts";
import { isFinal, type CallService } from "../src/phone/call/call-service.ts";

const START = "2026-05-18T19:42:00.000Z";

export function callRecord(id: string, patch: Partial<Call> = {}): Call {
  return {
    id,
    destination_number: "+233200000142",
    destination_country: "GH",
    destination_country_name: "Ghana",
    number_type: "mobile",
    status: "initiated",
    end_reason: null,
    hung_up_by: null,
    silence: null,
    duration_seconds: 0,
    billed_seconds: 0,
    cost: "0.0000",
    rate_per_minute: "0.1420",
    first_interval_s: 1,
    next_interval_s: 1,
    rate_prefix: "23320",
    rate_description: "Ghana mobile",
    deck_id: "0197a000-0000-7000-8000-000000000001",
    deck_effective_at: START,
    max_seconds: 600,
    held: "1.4200",
    ...{ contact_name: null, caller_number: "+12025550143" },
    telnyx_call_control_id: null,
    telnyx_call_leg_id: null,
    telnyx_cost: null,
    created_at: START,
    started_at: null,
    answered_at: null,
    ended_at: null,
    ...patch,
  };
}

const CANCELLED = { status: "failed", end_reason: "cancelled" } as const;
const HUNG_UP = { status: "completed", end_reason: "hangup", hung_up_by: "caller" } as const;

/** The service: allows every call, keeps the records, ends a call when told. */
export class ScriptedService implements CallService {
  readonly log: string[];
  readonly records = new Map<string, Call>();
  tokens = 0;
  tokenLifeMs = 3_600_000;
  refuse: Error | null = null;
  refuseToken: Error | null = null;
  unreachable = false;
  initiateWaits: Promise<void> = Promise.resolve();
  /** Whether the browser's leg of the running call is still at the provider. */
  legIsThere = true;
  readonly quality: QualitySample[] = [];
  /** Requests for calls, oldest first. */
  readonly initiated: InitiateRequest[] = [];
  /** Those that pages drew. */
  readonly tickets: string[] = [];
  /** What pages said of being in a call, as they asked. */
  readonly presences: string[] = [];
  #calls = 0;

  constructor(log: string[]) {
    this.log = log;
  }
  async getVoiceToken(): Promise<VoiceTokenResponse> {
    this.tokens += 1;
    if (this.refuseToken !== null) throw this.refuseToken;
    return {
      token: `token-${this.tokens}`,
      expires_at: new Date(Date.now() + this.tokenLifeMs).toISOString(),
      voice: { host: "ws://voice.example", ice_servers: [], trickle_ice: true },
      caller_number: "+15550001111",
    };
  }
  async initiate(request: InitiateRequest): Promise<InitiateResponse> {
    const { ticket } = request;
    this.initiated.push(request);
    this.log.push("initiate");
    await this.initiateWaits;
    if (this.refuse !== null) throw this.refuse;
    this.#calls += 1;
    const call = callRecord(`call-${this.#calls}`, { created_at: new Date().toISOString() });
    this.records.set(call.id, call);
    this.tickets.push(ticket ?? "");
    return { call, ticket: ticket ?? "", caller_number: "+15550001111", ticket_expires_at: START };
  }
  async getCall(callId: string): Promise<Call> {
    if (this.unreachable) throw new TypeError("network");
    return this.record(callId);
  }
  async stay(callId: string): Promise<Call> {
    this.presences.push(`in ${callId}`);
    return this.getCall(callId);
  }
  async hangup(callId: string): Promise<Call> {
    this.log.push(`hangup ${callId}`);
    if (this.unreachable) throw new TypeError("network");
    const call = this.record(callId);
    if (call.status !== "completed" && call.status !== "failed")
      this.change(callId, call.answered_at === null ? CANCELLED : HUNG_UP);
    return this.record(callId);
  }
  async leave(callId: string): Promise<void> {
    this.log.push(`leave ${callId}`);
  }
  async getLiveCall(wasIn: string | null): Promise<LiveCallResponse> {
    if (this.unreachable) throw new TypeError("network");
    if (wasIn !== null) this.presences.push(`was in ${wasIn}`);
    const call = [...this.records.values()].find((record) => !isFinal(record)) ?? null;
    return { call, rejoinable: call !== null && this.legIsThere, now: new Date().toISOString() };
  }
  async sendControlIds(): Promise<void> {
    this.log.push("control ids");
  }
  async sendQuality(_callId: string, samples: QualitySample[]): Promise<void> {
    this.quality.push(...samples);
  }
  async startEchoTest(): Promise<EchoTestResponse> {
    return {
      destination_number: "echo",
      ticket: "echo-ticket",
      caller_number: "+15550001111",
      ticket_expires_at: START,
      max_seconds: 30,
    };
  }
  change(callId: string, patch: Partial<Call>): void {
    this.records.set(callId, { ...this.record(callId), ...patch });
  }
  record(callId: string): Call {
    const call = this.records.get(callId);
    if (call === undefined) throw new Error(`no call ${callId}`);
    return call;
  }
}
