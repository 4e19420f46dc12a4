import type { InitiateResponse } from "@farline/contract/calls.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import { CALL_TICKET_HEADER } from "@farline/contract/constants.ts";
import { microphoneConstraints } from "../device/microphone.ts";
import { type CallService, ServiceRefusal } from "./call-service.ts";
import { pause } from "../../time/timers.ts";
import { PhoneError, toPhoneError } from "../phone-error.ts";
import type { DialRequest } from "../phone-state.ts";
import {
  type FarEnd,
  hangUpCall,
  isOver,
  type NewVoiceCall,
  sendMicrophone,
  type VoiceCall,
  type VoiceClient,
} from "../line/voice-client.ts";

/** Thrown only internally, when the caller hung up before there was a call. */
export class AttemptCancelled extends Error {}

const ANSWER_TIMEOUT_MS = 15_000;
/** After a lost response the request is repeated once with the same key, so that one call never becomes two. */
const MAX_TRIES = 2;
const RETRY_AFTER_MS = 500;

/** Identifiers that the page generates for an attempt to call. */
export interface AttemptKeys {
  /** The attempt's id: the SDK's for the leg, and the idempotency key at the service. */
  readonly id: string;
  /** The permission to dial, once the service has authorised the call. */
  readonly ticket: string;
}

/**
 * Requests a call from the service, which holds credit and opens the ticket.
 * Rejects with `initiate_failed`, carrying the service's message, code and missing credit, where it sent them.
 */
export async function askForCall(
  service: Pick<CallService, "initiate">,
  request: DialRequest,
  { id, ticket }: AttemptKeys,
): Promise<InitiateResponse> {
  const { number, country_code, rate_per_minute, first_interval_s, next_interval_s } = request.price;
  const body = {
    destination_number: number,
    destination_country: country_code,
    ticket,
    shown_price: { rate_per_minute, first_interval_s, next_interval_s },
  };
  for (let tries = 1; ; tries += 1) {
    try {
      return await settleWithin(service.initiate(body, id), ANSWER_TIMEOUT_MS, () =>
        Promise.reject(new PhoneError("initiate_failed")),
      );
    } catch (error) {
      if (error instanceof ServiceRefusal || tries >= MAX_TRIES) throw toPhoneError(error, "initiate_failed");
      await pause(RETRY_AFTER_MS);
    }
  }
}

const TICKET_BYTES = 32;

/** An unguessable ticket for one call: 32 random bytes, base64url. */
export function newTicket(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(TICKET_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

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
