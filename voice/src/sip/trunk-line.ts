import { randomBytes, randomUUID } from "node:crypto";
import { DigestClient, type DigestAttempt } from "@farline/sip/digest/digest-client.ts";
import type { Dialog } from "@farline/sip/dialog/dialog.ts";
import type { SipRequest, SipResponse, Via } from "@farline/sip/message/message.ts";
import { parseNameAddress } from "@farline/sip/message/name-address.ts";
import type { ClientUser } from "@farline/sip/transaction/transaction-layer.ts";
import { newVia } from "@farline/sip/message/via.ts";
import type { Resolver } from "@farline/sip/transport/resolver.ts";
import type { SipEndpoint } from "@farline/sip/transport/sip-endpoint.ts";
import { isStream, type Target, type TransportName } from "@farline/sip/transport/target.ts";
import { Uplink } from "@farline/sip/transport/uplink.ts";
import type { Logger } from "pino";
import type { Address } from "../address.ts";
import { accountAddress } from "./caller-identity.ts";
import { nameAddress, newRequest, newResponse, type NewResponse, routeHeaders } from "./trunk-requests.ts";
import { sipUri } from "./trunk-uri.ts";
import { type NextHop, TrunkWays, type Way } from "./transport/trunk-ways.ts";
import { certificateEnd, type CertificateEnd, sipTransport, type TrunkConfig } from "./trunk.ts";
import { Registration, type RegistrationState } from "./upkeep/registration.ts";
import { agreedFlow, RegisterRequests, registrarAnswer, serviceRoute } from "./upkeep/register-requests.ts";

const PING_DEADLINE_MS = 4_000;
const REGISTER_DEADLINE_MS = 16_000;
const DEREGISTER_DEADLINE_MS = 2_000;
/** First Hop Lacks Outbound Support (RFC 5626 §11.6). */
const NO_FLOW = 439;
/** Where a line's Call-IDs are known, so that their messages find it. */
interface LineCalls {
  add(callId: string, line: TrunkLine, attempt: null): void;
  removeLater(callId: string): void;
  admit(callId: string, addresses: readonly string[]): void;
  attemptsOn(line: TrunkLine): readonly { connectionLost(peer: Target): void }[];
}

interface TrunkLineOptions {
  readonly trunk: TrunkConfig;
  readonly contactUser: string;
  readonly address: Address;
  readonly endpoint: SipEndpoint;
  readonly resolver: Resolver;
  readonly registry: LineCalls;
  readonly log: Logger;
}

/** Makes a request; called again, with a new branch, after a challenge. */
type RequestMaker = (via: Via) => SipRequest;

export interface RequestUser extends ClientUser {
  /** The request as it is sent, with credentials. */
  onSend?(request: SipRequest): void;
  /** Whether it may still be sent: its way is found first, and a challenge answered later. Default: yes. */
  isWanted?(): boolean;
}

/** A configured trunk at work: its connection, credentials and registration. */
export class TrunkLine {
  readonly trunk: TrunkConfig;
  readonly contactUser: string;
  readonly #contactUri: string;
  /** Far ends' requests come over the flow that registered us. */
  #hasFlow = false;
  /** What we announce in Via. */
  readonly #host: string;
  readonly #transport: TransportName;
  readonly #endpoint: SipEndpoint;
  readonly #registry: LineCalls;
  readonly #log: Logger;
  readonly #credentials: DigestClient | null;
  readonly #uplink: Uplink | null;
  readonly #registration: Registration | null;
  readonly #ways: TrunkWays;
  /** Requests outside calls that wait for their response. */
  readonly #unanswered = new Map<() => void, SipRequest>();

  constructor({ trunk, contactUser, address, endpoint, resolver, registry, log }: TrunkLineOptions) {
    this.trunk = trunk;
    this.contactUser = contactUser;
    this.#endpoint = endpoint;
    this.#registry = registry;
    this.#transport = sipTransport(trunk.transport);
    this.#host = address.announced;
    const port = this.#port(this.#transport);
    const parameters = new Map(trunk.transport === "udp" ? [] : [["transport", trunk.transport]]);
    this.#contactUri = sipUri(contactUser, address.announced, port, parameters);
    const { username, password = "" } = trunk;
    this.#credentials =
      username === undefined ? null : new DigestClient({ username, password }, () => randomBytes(12).toString("hex"));
    this.#log = log.child({ trunk: trunk.name });
    this.#ways = new TrunkWays({
      trunk,
      owner: { name: contactUser, tls: trunk.tls ?? {} },
      resolver,
      transports: endpoint.transports,
      connectedTo: () => this.#uplink?.target ?? null,
      log: this.#log,
    });
    this.#registration = trunk.registrar === undefined ? null : this.#createRegistration(this.#log);
    this.#uplink = trunk.transport === "udp" ? null : this.#keepConnection(this.#log);
    if (this.#uplink === null) this.#registration?.start();
  }

  /** The value of our Contact header; `ob` asks for the flow (RFC 5626 §4.3). */
  get contact(): string {
    return `<${this.#contactUri}${this.#hasFlow ? ";ob" : ""}>`;
  }

  /** The URIs of the Route of a request outside dialogs. */
  get routes(): readonly string[] {
    return this.#ways.routes;
  }

  /** Null over UDP. */
  get connected(): boolean | null {
    return this.#uplink === null ? null : this.#uplink.target !== null;
  }

  /** The certificates that the trunk uses and has met. */
  get certificates(): CertificateEnd[] {
    const { name, tls } = this.trunk;
    const met = this.#uplink?.target ?? null;
    const shown = met === null ? null : this.#endpoint.transports.peerCertificateEndsAt(met);
    return [
      ...(tls?.cert === undefined ? [] : [certificateEnd(`trunk ${name}`, tls.cert)]),
      ...(tls?.ca === undefined ? [] : [certificateEnd(`authority of trunk ${name}`, tls.ca)]),
      ...(shown === null ? [] : [{ name: `carrier of trunk ${name}`, endsAt: shown }]),
    ];
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
    if (peer.owner?.name !== this.contactUser) return;
    for (const attempt of this.#registry.attemptsOn(this)) attempt.connectionLost(peer);
    for (const [fail, request] of [...this.#unanswered]) if (this.wentOver(request, peer)) fail();
  }

  wentOver(request: SipRequest, peer: Target): boolean {
    return this.#ways.wentOver(request, peer);
  }

  /** See `TrunkWays.avoid`. An address that fails takes its registration with it. */
  avoidAddressOf(request: SipRequest): boolean {
    if (this.routes.length > 0 || this.#ways.isRegisteredAt(this.#ways.targetOf(request))) this.#registration?.start();
    return this.#ways.avoid(request);
  }

  /** Replaces the connection that a request without a response went over, if nothing else has come over it since either. */
  replaceDeadConnection(request: SipRequest): void {
    const target = this.#ways.targetOf(request);
    if (target === undefined || !this.#ways.isDead(request)) return;
    this.#log.warn({ address: target.address }, "trunk connection is dead, opening another");
    this.#ways.replace(target);
  }

  /** The address for carriers that send no Contact. */
  get address(): string {
    return sipUri("", this.trunk.host, this.trunk.port);
  }

  /** Sends a request with the trunk's credentials, and again if it is challenged (RFC 3261 §22). */
  send(make: RequestMaker, hop: NextHop, user: RequestUser): void {
    let digest: DigestAttempt | null = null;
    const isWanted = (): boolean => user.isWanted?.() ?? true;
    const round = async (): Promise<void> => {
      const way = await this.#ways.of(hop).catch(() => null);
      if (!isWanted()) return;
      if (way === null) return user.onFailed("transport");
      const plain = make(this.#newVia(way.target.transport));
      digest ??= this.#credentials?.begin(plain) ?? null;
      const request = { ...plain, headers: new Map([...plain.headers, ...(digest?.headers ?? [])]) };
      this.#ways.sent(request, way);
      user.onSend?.(request);
      this.#transmit(request, way, {
        onResponse: (response) => {
          if (response.status >= 300 && isWanted() && digest?.next(response) === true) void round();
          else user.onResponse(response);
        },
        onFailed: (cause) => user.onFailed(cause),
      });
    };
    void round();
  }

  /** Sends the ACK of a 2xx. */
  async acknowledge(make: RequestMaker, hop: NextHop): Promise<void> {
    const way = await this.#ways.of(hop).catch(() => null);
    if (way !== null) await this.#endpoint.send(make(this.#newVia(way.target.transport)), way.target);
  }

  cancel(invite: SipRequest, headers?: SipRequest["headers"]): void {
    this.#endpoint.cancel(invite, headers);
  }

  /** Takes over an unanswered INVITE of an earlier process. */
  async resume(invite: SipRequest, user: ClientUser): Promise<void> {
    const route = parseNameAddress(invite.headers.get("route")?.[0] ?? "")?.uri;
    const { target } = await this.#ways.of({ uri: route ?? invite.uri });
    this.#endpoint.resume(invite, target, user);
  }

  /** The far side of a dialog may connect to us from where our requests in it go, while the call is known. */
  admit({ callId, routes, remoteTarget }: Dialog, invite: SipRequest): void {
    const found = this.#ways.addressesOf([...routes, remoteTarget], invite);
    found.then((addresses) => this.#registry.admit(callId, addresses)).catch(() => undefined);
  }

  respond(request: SipRequest, status: number, reason: string, parts?: NewResponse): void {
    this.#endpoint.respond(request, newResponse(request, status, reason, parts));
  }

  /** Sends a request outside a call. Resolves to its final response, or null after `deadlineMs`. */
  request(make: RequestMaker, hop: NextHop, deadlineMs: number): Promise<SipResponse | null> {
    return new Promise((resolve) => {
      let sent: SipRequest | null = null;
      let isOver = false;
      const done = (response: SipResponse | null): void => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        this.#unanswered.delete(fail);
        if (sent !== null) {
          if (response === null) {
            this.avoidAddressOf(sent);
            this.#endpoint.abandon(sent);
            this.replaceDeadConnection(sent);
          } else if (sent.method === "REGISTER" && response.status < 300) this.#registered(sent, response);
          this.#registry.removeLater(sent.callId);
        }
        resolve(response);
      };
      const fail = (): void => done(null);
      const timer = setTimeout(fail, deadlineMs);
      this.send(make, hop, {
        onSend: (request) => {
          sent = request;
          this.#unanswered.set(fail, request);
          this.#registry.add(request.callId, this, null);
        },
        isWanted: () => !isOver,
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
      const headers = new Map([["contact", [this.contact]], ...routeHeaders(this.routes)]);
      return newRequest({ method: "OPTIONS", uri, via, from, to: nameAddress(uri), callId, cseq, headers });
    };
    const responds = (await this.request(make, { uri: this.routes[0] ?? uri }, PING_DEADLINE_MS)) !== null;
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

  #newVia(transport: TransportName): Via {
    return newVia({ transport, host: this.#host, port: this.#port(transport) }, randomBytes(12).toString("hex"));
  }

  #port(transport: TransportName): number {
    return this.#endpoint.port(transport) ?? this.#endpoint.port("TCP") ?? 0;
  }

  #transmit(request: SipRequest, { target }: Way, user: ClientUser): void {
    this.#endpoint.request(request, target, {
      onResponse: (response) => {
        this.#ways.responds(target);
        user.onResponse(response);
      },
      onFailed: (cause) => {
        if (cause !== "full") this.avoidAddressOf(request);
        user.onFailed(cause);
      },
    });
  }

  #keepConnection(log: Logger): Uplink {
    return new Uplink({
      targets: () => this.#ways.resolveTrunk(),
      connect: (target) => this.#endpoint.transports.connect(target).keepOpen(),
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

  #registered(request: SipRequest, response: SipResponse): void {
    const flow = agreedFlow(response);
    const target = this.#ways.targetOf(request);
    this.#ways.registered(request, serviceRoute(response));
    this.#hasFlow = flow !== null;
    if (flow !== null && target !== undefined && isStream(target.transport))
      this.#endpoint.transports.connect(target).demandPongs(flow.seconds);
  }

  #createRegistration(log: Logger): Registration {
    const requests = new RegisterRequests(this.trunk, `<${this.#contactUri}>`, `${this.#host} ${this.#port(this.#transport)}`);
    const { host, port } = this.trunk.registrar ?? this.trunk;
    // A trunk's connection leads to its registrar, too.
    const uri = this.#transport === "UDP" ? sipUri("", host, port) : this.address;
    return new Registration({
      log,
      send: async (seconds) => {
        const deadlineMs = seconds === 0 ? DEREGISTER_DEADLINE_MS : REGISTER_DEADLINE_MS;
        const register = (): Promise<SipResponse | null> =>
          this.request((via) => requests.next(via, seconds), { uri }, deadlineMs);
        const first = await register();
        const response = first?.status === NO_FLOW && requests.dropFlow() ? await register() : first;
        return response === null ? null : registrarAnswer(response, requests.contact, seconds);
      },
    });
  }
}
