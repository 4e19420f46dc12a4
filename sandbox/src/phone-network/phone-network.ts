import { randomBytes } from "node:crypto";
import { maskNumber } from "@farline/domain/mask-personal.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import type { SipMessage, SipRequest, SipResponse } from "@farline/sip/message/message.ts";
import { hasForeignBody, sdpOf } from "@farline/sip/message/multipart.ts";
import { tagOf } from "@farline/sip/message/name-address.ts";
import { responseTo } from "@farline/sip/message/response.ts";
import { userOf } from "@farline/sip/message/uri.ts";
import { writeMessage } from "@farline/sip/message/write-message.ts";
import { SipEndpoint } from "@farline/sip/transport/sip-endpoint.ts";
import type { Target } from "@farline/sip/transport/target.ts";
import type { Logger } from "pino";
import { DigestServer } from "@farline/sip/digest/digest-server.ts";
import { parseAuthValues } from "@farline/sip/digest/challenge.ts";
import { CallRecord, type CallView } from "./call-record.ts";
import { ALLOW, type CallerRequest, SERVER } from "./call-signalling.ts";
import { type CallContext, IncomingCall } from "./incoming-call.ts";
import { readOffer } from "./sdp.ts";
import { behaviourOf, dialledNumber } from "./test-numbers.ts";
import type { Quirks } from "./carrier-quirks.ts";

const MAX_CALLS = 200;

const MAX_RECORDS = 200;

/** Recordings are kept for this many of the newest calls, at half a megabyte each. */
const MAX_RECORDINGS = 20;

const USUAL_RING_MS = 2000;

const CLOSE_TIMEOUT_MS = 1000;

/** A transaction is kept for 32 s, so this allows a few hundred requests per second. */
const MAX_TRANSACTIONS = 20_000;

export interface PhoneNetworkOptions {
  log: Logger;
  /** IPv4 address to listen on and to announce; loopback by default. */
  host?: string;
  /** UDP and TCP; 0 picks a free port. */
  sipPort: number;
  /** How long an ordinary number rings. */
  ringMs?: number;
  maxCalls?: number;
  /** UDP port of the only trunk that may call, because carriers identify trunks by address; any may if omitted. */
  trunkPort?: number;
  /** Runs the timers of SIP and of the lines this many times faster, for tests. */
  timerSpeed?: number;
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

/** The user and password of the numbers that demand credentials. */
const ACCOUNT = "sandbox";

/** Weakest first, so that a caller must look for the strongest. */
const ALGORITHMS = ["MD5", "SHA-256"];

const FIRST_USE = "00000001";

interface CredentialRefusal {
  readonly status: number;
  readonly reason: string;
  readonly headers: SipMessage["headers"];
}

const forbidden: CredentialRefusal = { status: 403, reason: "Forbidden", headers: new Map() };

/** Starts a telephone network that any SIP trunk can call over UDP or TCP. `test-numbers.ts` defines how numbers answer. */
export async function startPhoneNetwork(options: PhoneNetworkOptions): Promise<PhoneNetwork> {
  const network = new Network(options);
  await network.listen();
  return network;
}

class Network implements PhoneNetwork {
  readonly host: string;
  sipPort = 0;
  malformed = 0;
  readonly #options: PhoneNetworkOptions;
  readonly #credentials = new CredentialCheck();
  /** Live calls by Call-ID and the caller's tag. */
  readonly #live = new Map<string, IncomingCall>();
  /** Oldest first. */
  readonly #records: CallRecord[] = [];
  #endpoint: SipEndpoint | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: PhoneNetworkOptions) {
    this.#options = options;
    this.host = options.host ?? "127.0.0.1";
  }

  async listen(): Promise<void> {
    const { log, sipPort, timerSpeed } = this.#options;
    this.#endpoint = await SipEndpoint.open({
      address: this.host,
      port: sipPort,
      speed: timerSpeed,
      maxTransactions: MAX_TRANSACTIONS,
      write: (message) => this.#write(message),
      user: {
        onRequest: (request, { target }) => this.#receive({ request, source: target }),
        onAck: (ack) => this.#callOf(ack)?.receiveAck(ack),
        onCancelled: (invite) => this.#live.get(callKey(invite))?.cancel(),
        onUnacknowledged: (invite, { status }) => void (status < 300 && this.#live.get(callKey(invite))?.hangUp()),
      },
      events: {
        admits: () => true,
        accepts: (message) => message.kind === "response" || !this.#leavesUnanswered(message),
        malformed: (problem, refusal, source) => this.#onMalformed(problem, refusal, source),
        connectionLost: () => undefined,
        problem: (error) => log.warn({ err: error }, "SIP message not handled"),
      },
    });
    this.sipPort = this.#endpoint.port("UDP") ?? sipPort;
  }

  get liveCalls(): number {
    return this.#live.size;
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
    await settleWithin(hungUp, CLOSE_TIMEOUT_MS, () => undefined);
    await this.#endpoint?.close();
  }

  #receive(caller: CallerRequest): void {
    const { request } = caller;
    const call = this.#callOf(request);
    if (call !== null) return call.receive(request);
    const unsupported = request.headers.get("require");
    if (tagOf(request.to) !== null || request.method === "BYE") this.#respond(request, 481, "Call/Transaction Does Not Exist");
    else if (unsupported) this.#respond(request, 420, "Bad Extension", [["unsupported", unsupported]]);
    else if (request.method === "INVITE") this.#receiveInvite(caller);
    else if (request.method === "OPTIONS") {
      this.#respond(request, 200, "OK", [
        ["allow", ALLOW],
        ["accept", ["application/sdp"]],
      ]);
    } else this.#respond(request, 405, "Method Not Allowed", [["allow", ALLOW]]);
  }

  #receiveInvite(caller: CallerRequest): void {
    const { request, source } = caller;
    const { trunkPort = source.port, maxCalls = MAX_CALLS } = this.#options;
    if (source.port !== trunkPort) return this.#respond(request, 403, "Forbidden");
    if (this.#live.has(callKey(request))) return this.#respond(request, 482, "Loop Detected");
    if (this.#closing || this.#live.size >= maxCalls)
      return this.#respond(request, 503, "Service Unavailable", [["retry-after", ["5"]]]);
    if (hasForeignBody(request)) return this.#respond(request, 415, "Unsupported Media Type");
    const number = dialledNumber(userOf(request.uri));
    const behaviour = behaviourOf(number);
    if (!behaviour) return this.#respond(request, 404, "Not Found");
    const demand = behaviour.quirks?.credentials;
    const refusal = demand === undefined ? null : this.#credentials.refusalOf(request, demand);
    if (refusal !== null) return this.#respond(request, refusal.status, refusal.reason, refusal.headers);
    const remote = readOffer(sdpOf(request) ?? "");
    if (!remote) return this.#respond(request, 488, "Not Acceptable Here");
    const call = new IncomingCall(this.#context(), caller, { number, from: callerOf(request), behaviour, remote });
    this.#live.set(callKey(request), call);
    this.#keepRecord(call.record);
    call.start().catch((error: unknown) => {
      this.#options.log.error({ err: error, call: call.record.id }, "call could not be started");
      void call.hangUp();
    });
  }

  /** Whether a request is for a number that never responds. Its first INVITE is recorded. */
  #leavesUnanswered(request: SipRequest): boolean {
    const number = dialledNumber(userOf(request.uri));
    if (tagOf(request.to) !== null || behaviourOf(number)?.outcome.kind !== "no-reply") return false;
    const id = callKey(request);
    if (request.method === "INVITE" && !this.#records.some((record) => record.id === id)) {
      const record = new CallRecord({ id, number, from: callerOf(request) });
      record.end("network");
      this.#keepRecord(record);
    }
    return true;
  }

  #keepRecord(record: CallRecord): void {
    this.#records.push(record);
    if (this.#records.length > MAX_RECORDS) this.#records.shift();
    this.#records.at(-1 - MAX_RECORDINGS)?.dropRecording();
    this.#options.log.info({ call: record.id, number: maskNumber(record.number) }, "call received");
  }

  #respond(
    request: SipRequest,
    status: number,
    reason: string,
    headers: Iterable<readonly [string, readonly string[]]> = [],
  ): void {
    const more = { toTag: randomBytes(8).toString("hex"), headers: new Map([["server", SERVER], ...headers]) };
    this.#endpoint?.respond(request, responseTo(request, status, reason, more));
  }

  #onMalformed(problem: string, refusal: SipResponse | null, source: Target): void {
    this.malformed += 1;
    this.#options.log.debug({ problem }, "malformed SIP message");
    if (refusal !== null) void this.#endpoint?.send(refusal, source);
  }

  #write(message: SipMessage): Uint8Array {
    const bytes = writeMessage(message);
    const change = this.#live.get(`${message.callId} ${tagOf(message.from) ?? ""}`)?.quirks.head;
    if (change === undefined) return bytes;
    const end = bytes.indexOf("\r\n\r\n");
    return Buffer.concat([Buffer.from(change(bytes.toString("utf8", 0, end))), bytes.subarray(end)]);
  }

  #context(): CallContext {
    if (this.#endpoint === null) throw new Error("The phone network is not listening.");
    return {
      endpoint: this.#endpoint,
      log: this.#options.log,
      local: { host: this.host, port: this.sipPort },
      usualRingMs: this.#options.ringMs ?? USUAL_RING_MS,
      timerSpeed: this.#options.timerSpeed ?? 1,
      onEnd: (call) => this.#remove(call),
    };
  }

  #remove(call: IncomingCall): void {
    this.#live.delete(callKey(call.signalling.invite));
    const { id, sipStatus, endedBy, rtp } = call.record;
    this.#options.log.info({ call: id, sipStatus, endedBy, rtp }, "call ended");
  }

  #callOf(request: SipRequest): IncomingCall | null {
    const call = this.#live.get(callKey(request));
    const initial = request.method === "INVITE" && tagOf(request.to) === null;
    return call !== undefined && !initial && call.signalling.matches(request) ? call : null;
  }
}

function callKey(request: SipRequest): string {
  return `${request.callId} ${tagOf(request.from) ?? ""}`;
}

/** For the record. */
function callerOf(request: SipRequest): string {
  return userOf(request.from.uri).slice(0, 64);
}

/** Checks the credentials that some numbers demand (RFC 3261 §22). */
class CredentialCheck {
  readonly #server = digestServer("sandbox.invalid");
  readonly #proxy = digestServer("proxy.sandbox.invalid");

  /** @returns null if the request may pass */
  refusalOf(request: SipRequest, demand: NonNullable<Quirks["credentials"]>): CredentialRefusal | null {
    if (demand === "proxy-then-server") {
      const refusal = verify(this.#proxy, request, "proxy-authorization");
      if (refusal !== null) return refusal;
    }
    const refusal = verify(this.#server, request, "authorization");
    if (refusal !== null || demand !== "single-use") return refusal;
    const [credentials] = parseAuthValues(request.headers.get("authorization") ?? []);
    return credentials?.parameters.get("nc") === FIRST_USE ? null : forbidden;
  }
}

function verify(
  server: DigestServer,
  request: SipRequest,
  header: "authorization" | "proxy-authorization",
): CredentialRefusal | null {
  const verdict = server.verify(request, header);
  if (verdict === "accepted") return null;
  if (verdict === "wrong") return forbidden;
  const challenges = server.challenges(verdict === "stale");
  return header === "authorization"
    ? { status: 401, reason: "Unauthorized", headers: new Map([["www-authenticate", challenges]]) }
    : { status: 407, reason: "Proxy Authentication Required", headers: new Map([["proxy-authenticate", challenges]]) };
}

function digestServer(realm: string): DigestServer {
  return new DigestServer({
    realm,
    algorithms: ALGORITHMS,
    passwordOf: (username) => (username === ACCOUNT ? ACCOUNT : null),
    newNonce: () => randomBytes(16).toString("hex"),
  });
}
