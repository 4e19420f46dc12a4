import { randomBytes } from "node:crypto";
import { isIPv4 } from "node:net";
import {
  type Dialog,
  dialogOfRequest,
  hopOf,
  isOfDialog,
  receiveInDialog,
  refreshTarget,
  requestInDialog,
} from "@farline/sip/dialog/dialog.ts";
import type { SipMessage, SipRequest, SipResponse } from "@farline/sip/message/message.ts";
import { responseTo } from "@farline/sip/message/response.ts";
import { parseSipUri } from "@farline/sip/message/uri.ts";
import { newVia } from "@farline/sip/message/via.ts";
import { destinationOf, portOf } from "@farline/sip/transport/order-targets.ts";
import type { SipEndpoint } from "@farline/sip/transport/sip-endpoint.ts";
import type { Target } from "@farline/sip/transport/target.ts";
import type { CarrierPlace, Quirks } from "./carrier-quirks.ts";

export const ALLOW = ["INVITE, ACK, CANCEL, BYE, OPTIONS, PRACK"];
export const SERVER = ["Farline sandbox phone network"];
const SDP = "application/sdp";

/** A request of the caller, and where it came from. */
export interface CallerRequest {
  readonly request: SipRequest;
  readonly source: Target;
}

export interface ResponseMore {
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly sdp?: string;
}

/** The SIP side of one call: its INVITE, its dialog (RFC 3261 §12) and the carrier's quirks. */
export class CallSignalling {
  /** Added to To; also identifies the call. */
  readonly localTag = randomBytes(8).toString("hex");
  readonly invite: SipRequest;
  readonly #endpoint: SipEndpoint;
  readonly #source: Target;
  readonly #place: CarrierPlace;
  readonly #quirks: Quirks;
  #dialog: Dialog;
  #finalStatus = 0;

  constructor(endpoint: SipEndpoint, { request, source }: CallerRequest, more: { place: CarrierPlace; quirks: Quirks }) {
    this.#endpoint = endpoint;
    this.#source = source;
    this.invite = request;
    this.#place = more.place;
    this.#quirks = more.quirks;
    this.#dialog = dialogOfRequest(request, this.#toInvite(180, "Ringing", {}));
  }

  get inviteAnswered(): boolean {
    return this.#finalStatus !== 0;
  }

  get contact(): string {
    const { host, port, number } = this.#place;
    return `<sip:${number}@${host}:${port}${this.#source.transport === "UDP" ? "" : ";transport=tcp"}>`;
  }

  matches(request: SipRequest): boolean {
    return isOfDialog(this.#dialog, request);
  }

  /** Takes the sequence number and Contact of a request in the dialog. False if it is out of order (§12.2.2). */
  advance(request: SipRequest): boolean {
    const dialog = receiveInDialog(this.#dialog, request);
    if (dialog !== null) this.#dialog = refreshTarget(dialog, request);
    return dialog !== null;
  }

  /** Responds to the INVITE. Does nothing after a final response. */
  respondToInvite(status: number, reason: string, more: ResponseMore = {}): void {
    if (this.inviteAnswered) return;
    if (status >= 200) this.#finalStatus = status;
    this.#endpoint.respond(this.invite, this.#toInvite(status, reason, more));
  }

  /** Responds to a request in the dialog. */
  respond(request: SipRequest, status: number, reason: string, more: ResponseMore = {}): void {
    this.#endpoint.respond(request, this.#response(request, status, reason, more));
  }

  /** Sends a request in the dialog; resolves with the final response, or null if there is none. */
  request(method: string, more: ResponseMore = {}): Promise<SipResponse | null> {
    const { dialog, request } = requestInDialog(this.#dialog, {
      method,
      via: newVia(
        { transport: this.#source.transport, host: this.#place.host, port: this.#place.port },
        randomBytes(12).toString("hex"),
      ),
      headers: new Map(Object.entries({ contact: [this.contact], ...more.headers, ...typeOf(more.sdp) })),
      body: Buffer.from(more.sdp ?? ""),
    });
    this.#dialog = dialog;
    return new Promise((resolve) =>
      this.#endpoint.request(this.#quirks.request?.(request) ?? request, this.#nextHop(), {
        onResponse: (response) => response.status >= 200 && resolve(response),
        onFailed: () => resolve(null),
      }),
    );
  }

  #toInvite(status: number, reason: string, more: ResponseMore): SipResponse {
    const routes = this.invite.headers.get("record-route");
    const makesDialog = status > 100 && status < 300;
    const headers = makesDialog
      ? { ...(routes === undefined ? {} : { "record-route": routes }), contact: [this.contact], allow: ALLOW, ...more.headers }
      : more.headers;
    const response = this.#response(this.invite, status, reason, { ...more, headers });
    return status === 100 ? response : (this.#quirks.response?.(response, this.#place) ?? response);
  }

  #response(request: SipRequest, status: number, reason: string, more: ResponseMore): SipResponse {
    const headers: SipMessage["headers"] = new Map(Object.entries({ server: SERVER, ...more.headers, ...typeOf(more.sdp) }));
    return responseTo(request, status, reason, { toTag: this.localTag, headers, body: Buffer.from(more.sdp ?? "") });
  }

  /** The first route, else the caller's Contact. Host names resolve to the packet's source, because no DNS is used. */
  #nextHop(): Target {
    const uri = parseSipUri(hopOf(this.#dialog));
    const destination = uri === null ? null : destinationOf(uri);
    if (destination === null || !isIPv4(destination.host) || destination.transport === "TLS") return this.#source;
    return { transport: destination.transport, address: destination.host, port: portOf(destination), domain: null };
  }
}

function typeOf(sdp: string | undefined): Readonly<Record<string, readonly string[]>> {
  return sdp === undefined ? {} : { "content-type": [SDP] };
}
