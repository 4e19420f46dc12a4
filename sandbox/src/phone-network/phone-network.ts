import { maskNumber } from "@farline/domain/mask-personal.ts";
import type { Logger } from "pino";
import type { CallRecord, CallView } from "./call-record.ts";
import { ALLOW, IncomingCall, type CallContext } from "./incoming-call.ts";
import { standardTimers, type SipTimers } from "./retransmission.ts";
import { readOffer } from "./sdp.ts";
import type { ServerTransaction } from "./server-transaction.ts";
import { SipEndpoint } from "./sip-endpoint.ts";
import { header, userOf, type SipRequest } from "./sip-message.ts";
import { behaviourOf, dialledNumber } from "./test-numbers.ts";

export const MAX_CALLS = 200;
const MAX_RECORDS = 200;
/** Recordings are kept for this many of the newest calls, at half a megabyte each. */
const MAX_RECORDINGS = 20;
const USUAL_RING_MS = 2000;
const CLOSE_TIMEOUT_MS = 1000;

export interface PhoneNetworkOptions {
  log: Logger;
  /** IPv4 address to listen on and to announce; loopback by default. */
  host?: string;
  /** UDP; 0 picks a free port. */
  sipPort: number;
  /** How long an ordinary number rings. */
  ringMs?: number;
  maxCalls?: number;
  /** UDP port of the only trunk that may call, because carriers identify trunks by address; any may if omitted. */
  trunkPort?: number;
  timers?: SipTimers;
}

export interface PhoneNetwork {
  readonly host: string;
  readonly sipPort: number;
  /** Recent calls, newest first. */
  calls(filter?: { number?: string; limit?: number }): CallView[];
  /** A WAV file of what the called phone heard in a recent call; null if there is none or it was deleted. */
  recording(callId: string): Buffer | null;
  readonly liveCalls: number;
  /** Number of datagrams that were not SIP messages. */
  readonly malformed: number;
  /** Hangs up every call, then closes the sockets. */
  close(): Promise<void>;
}

/** Starts a telephone network that any SIP trunk can call over UDP. `test-numbers.ts` defines how numbers answer. */
export async function startPhoneNetwork(options: PhoneNetworkOptions): Promise<PhoneNetwork> {
  const network = new Network(options);
  await network.listen();
  return network;
}

class Network implements PhoneNetwork {
  readonly host: string;
  sipPort = 0;
  readonly #options: PhoneNetworkOptions;
  readonly #timers: SipTimers;
  readonly #endpoint: SipEndpoint;
  /** Live calls by Call-ID and the caller's tag. */
  readonly #live = new Map<string, IncomingCall>();
  /** Oldest first. */
  readonly #records: CallRecord[] = [];
  #closing: Promise<void> | null = null;

  constructor(options: PhoneNetworkOptions) {
    this.#options = options;
    this.host = options.host ?? "127.0.0.1";
    this.#timers = options.timers ?? standardTimers;
    this.#endpoint = new SipEndpoint({
      log: options.log,
      timers: this.#timers,
      onRequest: (transaction) => this.#receive(transaction),
      onAck: (ack) => this.#callOf(ack)?.receiveAck(ack),
      onCancel: (invite) => this.#live.get(callKey(invite.request))?.cancel(),
    });
  }

  async listen(): Promise<void> {
    this.sipPort = await this.#endpoint.listen(this.host, this.#options.sipPort);
  }

  get liveCalls(): number {
    return this.#live.size;
  }

  get malformed(): number {
    return this.#endpoint.malformed;
  }

  calls(filter: { number?: string; limit?: number } = {}): CallView[] {
    const wanted =
      filter.number === undefined ? this.#records : this.#records.filter((record) => record.number === filter.number);
    return wanted
      .slice(-Math.min(filter.limit ?? 20, MAX_RECORDS))
      .toReversed()
      .map((record) => record.toView());
  }

  recording(callId: string): Buffer | null {
    return this.#records.find(({ id }) => id === callId)?.recording() ?? null;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#hangUpAndClose());
  }

  async #hangUpAndClose(): Promise<void> {
    const hungUp = Promise.all([...this.#live.values()].map((call) => call.hangUp()));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([hungUp, new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_TIMEOUT_MS)))]);
    clearTimeout(timer);
    await this.#endpoint.close();
  }

  #receive(transaction: ServerTransaction): void {
    const { request } = transaction;
    if (request.to.tag !== null) return this.#receiveInDialog(transaction);
    const unsupported = request.headers.get("require");
    if (unsupported) transaction.respond(420, "Bad Extension", { headers: [["Unsupported", unsupported.join(", ")]] });
    else if (request.method === "INVITE") this.#receiveInvite(transaction);
    else if (request.method === "OPTIONS") transaction.respond(200, "OK", { headers: [ALLOW, ["Accept", "application/sdp"]] });
    else if (request.method === "BYE") transaction.respond(481, "Call/Transaction Does Not Exist");
    else transaction.respond(405, "Method Not Allowed", { headers: [ALLOW] });
  }

  #receiveInDialog(transaction: ServerTransaction): void {
    const call = this.#callOf(transaction.request);
    if (call) call.receive(transaction);
    else transaction.respond(481, "Call/Transaction Does Not Exist");
  }

  #receiveInvite(transaction: ServerTransaction): void {
    const { request } = transaction;
    const { trunkPort = transaction.source.port } = this.#options;
    if (transaction.source.port !== trunkPort) return refuse(transaction, 403, "Forbidden");
    if (this.#live.has(callKey(request))) return refuse(transaction, 482, "Loop Detected");
    if (this.#closing || this.#live.size >= (this.#options.maxCalls ?? MAX_CALLS))
      return refuse(transaction, 503, "Service Unavailable");
    const type = header(request, "content-type") ?? "";
    if (request.body !== "" && !/^application\/sdp\b/i.test(type)) return refuse(transaction, 415, "Unsupported Media Type");
    const number = dialledNumber(userOf(request.uri));
    const behaviour = behaviourOf(number);
    if (!behaviour) return refuse(transaction, 404, "Not Found");
    const remote = readOffer(request.body);
    if (!remote) return refuse(transaction, 488, "Not Acceptable Here");
    const call = new IncomingCall(this.#context(), transaction, {
      number,
      from: userOf(request.from.uri).slice(0, 64),
      behaviour,
      remote,
    });
    this.#live.set(callKey(request), call);
    this.#records.push(call.record);
    if (this.#records.length > MAX_RECORDS) this.#records.shift();
    this.#records.at(-1 - MAX_RECORDINGS)?.dropRecording();
    this.#options.log.info({ call: call.record.id, number: maskNumber(number) }, "call received");
    call.start().catch((error: unknown) => {
      this.#options.log.error({ err: error, call: call.record.id }, "call could not be started");
      void call.hangUp();
    });
  }

  #context(): CallContext {
    return {
      endpoint: this.#endpoint,
      timers: this.#timers,
      log: this.#options.log,
      local: { host: this.host, port: this.sipPort },
      usualRingMs: this.#options.ringMs ?? USUAL_RING_MS,
      onEnd: (call) => this.#remove(call),
    };
  }

  #remove(call: IncomingCall): void {
    this.#live.delete(`${call.dialog.callId} ${call.dialog.remoteTag}`);
    const { id, sipStatus, endedBy, rtp } = call.record;
    this.#options.log.info({ call: id, sipStatus, endedBy, rtp }, "call ended");
  }

  #callOf(request: SipRequest): IncomingCall | null {
    const call = this.#live.get(callKey(request));
    return call?.dialog.matches(request) ? call : null;
  }
}

function callKey(request: SipRequest): string {
  return `${request.callId} ${request.from.tag}`;
}

function refuse(transaction: ServerTransaction, status: number, reason: string): void {
  transaction.respond(status, reason, { headers: status === 503 ? [["Retry-After", "5"]] : [] });
}
