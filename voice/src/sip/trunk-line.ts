import { randomBytes, randomUUID } from "node:crypto";
import { DigestClient, type DigestAttempt } from "@farline/sip/digest/digest-client.ts";
import type { SipRequest, SipResponse, Via } from "@farline/sip/message/message.ts";
import type { ClientUser } from "@farline/sip/transaction/transaction-layer.ts";
import { parseSipUri } from "@farline/sip/message/uri.ts";
import { newVia } from "@farline/sip/message/via.ts";
import type { Resolver } from "@farline/sip/transport/resolver.ts";
import type { SipEndpoint } from "@farline/sip/transport/sip-endpoint.ts";
import { isStream, type Target, targetKey, type TransportName } from "@farline/sip/transport/target.ts";
import { Uplink } from "@farline/sip/transport/uplink.ts";
import type { Logger } from "pino";
import type { Address } from "../address.ts";
import { dropOldest } from "../drop-oldest.ts";
import { accountAddress } from "./caller-identity.ts";
import { nameAddress, newRequest, newResponse, type NewResponse } from "./trunk-requests.ts";
import { sipUri } from "./trunk-uri.ts";
import { sipTransport, type TrunkConfig } from "./trunk.ts";
import { Registration, type RegistrationState } from "./upkeep/registration.ts";
import { RegisterRequests, registrarAnswer } from "./upkeep/register-requests.ts";

const PING_DEADLINE_MS = 4_000;
const REGISTER_DEADLINE_MS = 16_000;
const DEREGISTER_DEADLINE_MS = 2_000;
/** How long another address of the trunk is preferred to one that did not respond. */
const AVOID_MS = 60_000;
/** Distinct addresses that are remembered. */
const MAX_SILENT = 100;

/** Where a line's Call-IDs are known, so that their messages find it. */
interface LineCalls {
  add(callId: string, line: TrunkLine, attempt: null): void;
  removeLater(callId: string): void;
  attemptsOn(line: TrunkLine): readonly { connectionLost(): void }[];
}

export interface TrunkLineOptions {
  readonly trunk: TrunkConfig;
  readonly contactUser: string;
  readonly address: Address;
  readonly endpoint: SipEndpoint;
  readonly resolver: Resolver;
  readonly registry: LineCalls;
  readonly log: Logger;
}

/** Makes a request; called again, with a new branch, after a challenge. */
export type RequestMaker = (via: Via) => SipRequest;

interface Way {
  readonly target: Target;
  readonly targets: readonly Target[];
}

interface SentWay extends Way {
  readonly sentAtMs: number;
}

export interface RequestUser extends ClientUser {
  /** The request as it is sent, with credentials. */
  onSend?(request: SipRequest): void;
  /** The URI that the request goes to, if not its Request-URI. */
  readonly hop?: string;
  /** Whether a challenge may still be answered. Default: yes. */
  isWanted?(): boolean;
}

/** A configured trunk at work: its connection, credentials and registration. */
export class TrunkLine {
  readonly trunk: TrunkConfig;
  readonly contactUser: string;
  /** The value of our Contact header. */
  readonly contact: string;
  readonly #via: Omit<Via, "parameters">;
  readonly #transport: TransportName;
  readonly #endpoint: SipEndpoint;
  readonly #resolver: Resolver;
  readonly #registry: LineCalls;
  readonly #log: Logger;
  readonly #credentials: DigestClient | null;
  readonly #uplink: Uplink | null;
  readonly #registration: Registration | null;
  /** Addresses that did not respond to a request. */
  readonly #silentUntil = new Map<string, number>();
  /** Where requests went, and where else they could have gone. */
  readonly #ways = new WeakMap<SipRequest, SentWay>();
  /** The addresses of the trunk when it was connected. */
  #streamTargets: readonly Target[] = [];
  /** Where the last request over TCP or TLS went. */
  #streamTarget: Target | null = null;
  /** Requests outside calls that wait for their response. */
  readonly #unanswered = new Set<() => void>();

  constructor({ trunk, contactUser, address, endpoint, resolver, registry, log }: TrunkLineOptions) {
    this.trunk = trunk;
    this.contactUser = contactUser;
    this.#endpoint = endpoint;
    this.#resolver = resolver;
    this.#registry = registry;
    this.#transport = sipTransport(trunk.transport);
    const port = endpoint.port(this.#transport) ?? endpoint.port("TCP") ?? 0;
    this.#via = { transport: this.#transport, host: address.announced, port };
    const parameters = new Map(trunk.transport === "udp" ? [] : [["transport", trunk.transport]]);
    this.contact = `<${sipUri(contactUser, address.announced, port, parameters)}>`;
    const { username, password = "" } = trunk;
    this.#credentials =
      username === undefined ? null : new DigestClient({ username, password }, () => randomBytes(12).toString("hex"));
    this.#log = log.child({ trunk: trunk.name });
    this.#registration = trunk.registrar === undefined ? null : this.#createRegistration(this.#log);
    this.#uplink = trunk.transport === "udp" ? null : this.#keepConnection(this.#log);
    if (this.#uplink === null) this.#registration?.start();
  }

  /** Null over UDP. */
  get connected(): boolean | null {
    return this.#uplink === null ? null : this.#uplink.target !== null;
  }

  get registration(): RegistrationState | null {
    return this.#registration?.state ?? null;
  }

  /** Whether the trunk's connection leads to an address. */
  isConnectedTo(address: string): boolean {
    return this.#uplink?.target?.address === address;
  }

  /** A connection broke. Calls that ring go on over the next one; requests outside calls fail. */
  connectionLost(peer: Target): void {
    if (this.#streamTarget === null || targetKey(this.#streamTarget) !== targetKey(peer)) return;
    for (const attempt of this.#registry.attemptsOn(this)) attempt.connectionLost();
    for (const fail of [...this.#unanswered]) fail();
  }

  /**
   * The address that a request went to fails: others are preferred for a while (RFC 3263 §4.3). Returns whether there is another way:
   * another address, or a new connection in place of a dead one.
   */
  avoidAddressOf(request: SipRequest): boolean {
    const way = this.#ways.get(request);
    if (way === undefined) return false;
    this.#silentUntil.set(targetKey(way.target), performance.now() + AVOID_MS);
    dropOldest(this.#silentUntil, MAX_SILENT);
    if (this.#isDead(way)) return true;
    // A connection that works is kept.
    if (isStream(this.#transport) && this.#endpoint.transports.isConnected(way.target)) return false;
    return way.targets.some((target) => !this.#isSilent(target));
  }

  /** Replaces the connection that a request without a response went over, if nothing else has come over it since either. */
  replaceDeadConnection(request: SipRequest): void {
    const way = this.#ways.get(request);
    if (way === undefined || !this.#isDead(way)) return;
    this.#log.warn({ address: way.target.address }, "trunk connection is dead, opening another");
    this.#endpoint.transports.break(way.target, new Error("The peer does not respond over the SIP connection."));
  }

  /** The address for carriers that send no Contact. */
  get address(): string {
    return sipUri("", this.trunk.host, this.trunk.port);
  }

  /** Sends a request with the trunk's credentials, and again if it is challenged (RFC 3261 §22). */
  send(make: RequestMaker, user: RequestUser): void {
    let digest: DigestAttempt | null = null;
    const round = (): void => {
      const plain = make(this.newVia());
      digest ??= this.#credentials?.begin(plain) ?? null;
      const request = { ...plain, headers: new Map([...plain.headers, ...(digest?.headers ?? [])]) };
      user.onSend?.(request);
      void this.#transmit(request, user.hop ?? request.uri, {
        onResponse: (response) => {
          const mayRepeat = response.status >= 300 && (user.isWanted?.() ?? true);
          if (mayRepeat && digest?.next(response) === true) round();
          else user.onResponse(response);
        },
        onFailed: (cause) => user.onFailed(cause),
      });
    };
    round();
  }

  /** Sends the ACK of a 2xx. @param hop the URI that it goes to */
  async acknowledge(ack: SipRequest, hop: string): Promise<void> {
    const way = await this.#wayOf(hop).catch(() => null);
    if (way !== null) await this.#endpoint.send(ack, way.target);
  }

  async cancel(invite: SipRequest, headers?: SipRequest["headers"]): Promise<void> {
    // Waits as long as the INVITE did.
    await this.#wayOf(invite.uri).catch(() => null);
    this.#endpoint.cancel(invite, headers);
  }

  /** Takes over an unanswered INVITE of an earlier process. */
  async resume(invite: SipRequest, user: ClientUser): Promise<void> {
    const { target } = await this.#wayOf(invite.uri);
    this.#endpoint.resume(invite, target, user);
  }

  respond(request: SipRequest, status: number, reason: string, parts?: NewResponse): void {
    this.#endpoint.respond(request, newResponse(request, status, reason, parts));
  }

  /** Sends a request outside a call. Resolves to its final response, or null after `deadlineMs`. @param hop as in `RequestUser` */
  request(make: RequestMaker, deadlineMs: number, hop?: string): Promise<SipResponse | null> {
    return new Promise((resolve) => {
      let sent: SipRequest | null = null;
      const done = (response: SipResponse | null): void => {
        clearTimeout(timer);
        this.#unanswered.delete(fail);
        if (sent !== null) {
          if (response === null) {
            this.avoidAddressOf(sent);
            this.#endpoint.abandon(sent);
            this.replaceDeadConnection(sent);
          }
          this.#registry.removeLater(sent.callId);
        }
        sent = null;
        resolve(response);
      };
      const fail = (): void => done(null);
      const timer = setTimeout(fail, deadlineMs);
      this.#unanswered.add(fail);
      this.send(make, {
        ...(hop === undefined ? {} : { hop }),
        onSend: (request) => {
          sent = request;
          this.#registry.add(request.callId, this, null);
        },
        isWanted: () => sent !== null,
        onResponse: (response) => {
          if (response.status >= 200) done(response);
        },
        onFailed: fail,
      });
    });
  }

  /** Sends OPTIONS as the account. Any final response proves that the carrier is up (RFC 3261 §11). */
  async ping(): Promise<boolean> {
    const from = nameAddress(accountAddress(this.trunk, this.contactUser), randomUUID());
    const [callId, uri] = [randomUUID(), this.address];
    let cseq = 0;
    const make: RequestMaker = (via) => {
      cseq += 1;
      const headers = new Map([["contact", [this.contact]]]);
      return newRequest({ method: "OPTIONS", uri, via, from, to: nameAddress(uri), callId, cseq, headers });
    };
    const responds = (await this.request(make, PING_DEADLINE_MS)) !== null;
    this.#registration?.pinged(responds);
    return responds;
  }

  /** Ends the registration. Takes 2 s at most. */
  async unregister(): Promise<void> {
    await this.#registration?.stop();
  }

  close(): void {
    this.#uplink?.close();
  }

  newVia(): Via {
    return newVia(this.#via, randomBytes(12).toString("hex"));
  }

  async #transmit(request: SipRequest, hop: string, user: ClientUser): Promise<void> {
    const way = await this.#wayOf(hop).catch(() => null);
    if (way === null) return user.onFailed("transport");
    this.#ways.set(request, { ...way, sentAtMs: performance.now() });
    this.#endpoint.request(request, way.target, {
      onResponse: (response) => {
        this.#silentUntil.delete(targetKey(way.target));
        user.onResponse(response);
      },
      onFailed: (cause) => {
        if (cause !== "full") this.avoidAddressOf(request);
        user.onFailed(cause);
      },
    });
  }

  /** Over TCP and TLS always the trunk, whose connection we keep. So are URIs that are no SIP URIs. */
  async #wayOf(hop: string): Promise<Way> {
    const { host, port } = this.trunk;
    if (this.#uplink !== null) {
      const { target } = this.#uplink;
      const way = target === null ? await this.#firstOf(host, port) : { target, targets: this.#streamTargets };
      this.#streamTarget = way.target;
      return way;
    }
    const uri = parseSipUri(hop);
    return uri === null ? this.#firstOf(host, port) : this.#firstOf(uri.parameters.get("maddr") ?? uri.host, uri.port);
  }

  /** The first address, except those that have not responded lately (RFC 3263 §4.3). */
  async #firstOf(host: string, port: number | null): Promise<Way> {
    const targets = await this.#resolveInOrder(host, port);
    const [target] = targets;
    if (target === undefined) throw new Error(`No address of ${host} was found.`);
    return { target, targets };
  }

  #isDead({ target, sentAtMs }: SentWay): boolean {
    return isStream(target.transport) && this.#endpoint.transports.isSilentSince(target, sentAtMs);
  }

  #isSilent(target: Target): boolean {
    return (this.#silentUntil.get(targetKey(target)) ?? 0) > performance.now();
  }

  async #resolveInOrder(host: string, port: number | null): Promise<Target[]> {
    const targets = await this.#resolve(host, port);
    return [...targets.filter((target) => !this.#isSilent(target)), ...targets.filter((target) => this.#isSilent(target))];
  }

  async #resolve(host: string, port: number | null): Promise<Target[]> {
    const targets = await this.#resolver.resolve({ host, port, transport: this.#transport });
    const owner = { name: this.contactUser, tls: this.trunk.tls ?? {} };
    return targets.map((target) => ({ ...target, owner }));
  }

  #keepConnection(log: Logger): Uplink {
    const { host, port } = this.trunk;
    return new Uplink({
      targets: async () => (this.#streamTargets = await this.#resolveInOrder(host, port)),
      connect: (target) => this.#endpoint.transports.connect(target),
      events: {
        opened: () => {
          log.info("trunk connected");
          this.#registration?.start();
        },
        lost: (problem) => log.warn({ err: problem }, "trunk connection lost"),
        unreachable: (problem, retryMs) => log.warn({ err: problem, retryMs }, "trunk not connected"),
      },
    });
  }

  #createRegistration(log: Logger): Registration {
    const requests = new RegisterRequests(this.trunk, this.contact);
    return new Registration({
      log,
      send: async (seconds) => {
        const deadlineMs = seconds === 0 ? DEREGISTER_DEADLINE_MS : REGISTER_DEADLINE_MS;
        const response = await this.request((via) => requests.next(via, seconds), deadlineMs);
        return response === null ? null : registrarAnswer(response, this.contactUser, seconds);
      },
    });
  }
}
